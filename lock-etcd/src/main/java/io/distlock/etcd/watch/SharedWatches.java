package io.distlock.etcd.watch;

import com.google.common.collect.Lists;
import com.google.protobuf.ByteString;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.api.WatchCancelRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchProgressRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notifies about deleted keys: all watches of a provider on one stream, opened when first needed, and again after it breaks. While there are watches, a
 * silent server is sent a progress request: otherwise the client would listen forever to one that is frozen.
 *
 * <p>The server numbers the watches, and confirms them in the order requested. Requests are sent under the monitor to keep
 * that order; sending does not block, and no user code is called under it. Thread-safe.
 */
public final class SharedWatches implements AutoCloseable {

    private final Supplier<WatchGrpc.WatchStub> stubs;
    private final ByteSequence namespace;
    private final LockRuntime runtime;
    private final Duration patience;

    // Guarded by the monitor, as are the stream's fields.
    private @Nullable WatchStream stream;
    private LockScheduler.@Nullable Scheduled check;
    private boolean closed;

    /**
     * @param namespace precedes our keys on the server
     * @param patience how long a server may be silent before it is probed, and then abandoned
     */
    public SharedWatches(
            Supplier<WatchGrpc.WatchStub> stubs, ByteSequence namespace, LockRuntime runtime, Duration patience) {
        this.stubs = stubs;
        this.namespace = namespace;
        this.runtime = runtime;
        this.patience = patience;
    }

    /**
     * Watches one key from now on, not from a past revision, because etcd serves watches that have to catch up
     * only ten times a second.
     *
     * @param seen the revision at which the caller last read the key; 0 if the caller looks in any case
     * @param wake called when the key is deleted, and when the watch breaks; never blocks
     */
    public WatchedKey watch(ByteSequence key, long seen, Runnable wake) {
        WatchedKey watched = new WatchedKey(wake);
        Asked asked = new Asked(ByteString.copyFrom(namespace.concat(key).getBytes()), seen, watched);
        Runnable next;
        synchronized (this) {
            next = closed ? () -> watched.breakOff(new IllegalStateException("the provider is closed")) : ask(asked);
        }
        next.run();
        return watched;
    }

    /** Returns what must be done outside the monitor: while a stream is opened, the driver may answer other calls. */
    private Runnable ask(Asked asked) {
        if (check == null) {
            check = runtime.scheduler().schedule(this::checkServer, patience);
        }
        WatchStream known = stream;
        if (known != null && !known.over) {
            known.add(asked);
            return () -> {};
        }
        WatchStream opened = new WatchStream();
        stream = opened;
        opened.add(asked);
        return opened::open;
    }

    /** Leaves a server that has been silent since the last progress request; otherwise sends another. */
    private void checkServer() {
        WatchStream open;
        boolean silent;
        synchronized (this) {
            open = stream;
            check = null;
            if (open == null || closed || open.isUnused()) {
                return;
            }
            check = runtime.scheduler().schedule(this::checkServer, patience);
            silent = !open.heard;
            if (open.heard) {
                open.heard = false;
                open.send(WatchRequest.newBuilder().setProgressRequest(WatchProgressRequest.getDefaultInstance()));
            }
        }
        if (silent) {
            open.close();
        }
    }

    @Override
    public void close() {
        WatchStream open;
        synchronized (this) {
            closed = true;
            open = stream;
            if (check != null) {
                check.cancel();
            }
        }
        if (open != null) {
            open.close();
        }
    }

    private static IllegalStateException broken(@Nullable String reason) {
        return new IllegalStateException("the watch has broken" + (reason == null ? "" : ": " + reason));
    }

    private record Asked(ByteString key, long seen, WatchedKey watched) {}

    /** {@link #add}, {@link #send} and {@link #isUnused} are called under the monitor. */
    private final class WatchStream implements StreamObserver<WatchResponse> {

        private final Consumer<WatchedKey> remove = this::remove;
        private final Queue<Asked> asked = new ArrayDeque<>();

        /** In the order of their numbers: compact for thousands of held locks. */
        private final List<WatchedKey> standing = new ArrayList<>();

        private @Nullable ClientCallStreamObserver<WatchRequest> requests;
        private boolean heard = true;
        private boolean over;

        /** Earlier requests are sent then. */
        void open() {
            ClientCallStreamObserver<WatchRequest> opened;
            try {
                opened = (ClientCallStreamObserver<WatchRequest>) stubs.get().watch(this);
            } catch (RuntimeException failure) {
                end(failure);
                return;
            }
            boolean left;
            synchronized (SharedWatches.this) {
                requests = opened;
                left = over;
                asked.forEach(this::ask);
            }
            if (left) {
                cancel(opened);
            }
        }

        void add(Asked next) {
            next.watched().on(remove);
            asked.add(next);
            ask(next);
        }

        private void ask(Asked next) {
            send(WatchRequest.newBuilder()
                    .setCreateRequest(WatchCreateRequest.newBuilder()
                            .setKey(next.key())
                            .addFilters(WatchCreateRequest.FilterType.NOPUT)));
        }

        /** An unconfirmed watch is ended once confirmed. */
        private void remove(WatchedKey key) {
            synchronized (SharedWatches.this) {
                int at = find(key.number);
                if (at >= 0) {
                    standing.remove(at);
                    cancel(key.number);
                }
            }
        }

        /** As {@link Collections#binarySearch}. */
        private int find(long number) {
            return Collections.binarySearch(Lists.transform(standing, key -> key.number), number);
        }

        private void cancel(long number) {
            send(WatchRequest.newBuilder()
                    .setCancelRequest(WatchCancelRequest.newBuilder().setWatchId(number)));
        }

        void send(WatchRequest.Builder request) {
            if (requests != null && !over) {
                requests.onNext(request.build());
            }
        }

        boolean isUnused() {
            return asked.isEmpty() && standing.isEmpty();
        }

        @Override
        public void onNext(WatchResponse response) {
            Runnable news;
            synchronized (SharedWatches.this) {
                heard = true;
                news = response.getCreated() ? confirmed(response, asked.remove()) : news(response);
            }
            news.run();
        }

        private Runnable news(WatchResponse response) {
            int at = find(response.getWatchId());
            if (at < 0) {
                return () -> {};
            }
            return response.getCanceled() ? ended(response, standing.remove(at)) : standing.get(at)::wake;
        }

        private Runnable confirmed(WatchResponse response, Asked answered) {
            WatchedKey key = answered.watched();
            if (response.getCanceled()) {
                return ended(response, key);
            }
            if (key.isOver()) {
                cancel(response.getWatchId());
                return () -> {};
            }
            key.number = response.getWatchId();
            standing.add(-find(key.number) - 1, key);
            return () -> key.stands(response.getHeader().getRevision(), answered.seen());
        }

        private static Runnable ended(WatchResponse response, WatchedKey key) {
            return () -> key.breakOff(broken(response.getCancelReason()));
        }

        @Override
        public void onError(Throwable failure) {
            end(failure);
        }

        @Override
        public void onCompleted() {
            end(broken("the server has ended the stream"));
        }

        void close() {
            // First, since nothing may be sent on a cancelled call.
            end(broken("the stream was closed"));
            ClientCallStreamObserver<WatchRequest> opened;
            synchronized (SharedWatches.this) {
                opened = requests;
            }
            if (opened != null) {
                cancel(opened);
            }
        }

        private static void cancel(ClientCallStreamObserver<?> opened) {
            opened.cancel("no longer listening", null);
        }

        private void end(Throwable failure) {
            List<WatchedKey> all;
            synchronized (SharedWatches.this) {
                over = true;
                all = new ArrayList<>(standing);
                asked.forEach(each -> all.add(each.watched()));
                asked.clear();
                standing.clear();
            }
            all.forEach(key -> key.breakOff(failure));
        }
    }
}
