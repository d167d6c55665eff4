package io.distlock.etcd.watch;

import com.google.common.collect.Lists;
import com.google.protobuf.ByteString;
import io.distlock.support.Backoff;
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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notifies about deleted keys: all watches of a provider on one stream, opened when first needed, and again after it breaks.
 * While there are watches, a silent server is sent a progress request: otherwise the client would listen forever to one that is
 * frozen.
 *
 * <p>The server numbers the watches, and confirms them in the order requested. Requests are sent under the monitor to keep
 * that order; sending does not block, and no user code is called under it. Thread-safe.
 */
public final class SharedWatches implements AutoCloseable {

    /** Thousands of requests at once, after a stream has broken, would hold up the calls that keep the locks. */
    private static final int MOST_UNCONFIRMED = 500;

    /** How often a silent server is looked at before it is abandoned: it has a whole call timeout to answer the first probe. */
    private static final int PROBES = 3;

    /** Before the next stream, after one on which the server said nothing. */
    private static final Backoff PAUSE = new Backoff(Duration.ofMillis(250), Duration.ofMillis(250));

    private final Supplier<WatchGrpc.WatchStub> stubs;
    private final ByteSequence namespace;
    private final LockRuntime runtime;
    private final Duration patience;
    private final Consumer<WatchedKey> leave = this::leave;

    // Guarded by the monitor, as are the stream's fields.
    private final Map<WatchedKey, Asked> waiting = new LinkedHashMap<>();
    private @Nullable WatchStream stream;
    private LockScheduler.@Nullable Scheduled check;
    private boolean pausing;
    private boolean closed;

    /**
     * @param namespace precedes our keys on the server
     * @param patience how long a server may be silent before it is probed, half of how long it may take to answer
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
            if (closed) {
                next = () -> watched.breakOff(providerClosed());
            } else {
                watched.on(leave);
                waiting.put(watched, asked);
                next = serve();
            }
        }
        next.run();
        return watched;
    }

    /** Returns what must be done outside the monitor: while a stream is opened, the driver may answer other calls. */
    private Runnable serve() {
        if (check == null && !closed) {
            check = runtime.scheduler().schedule(this::checkServer, patience);
        }
        if (stream != null) {
            stream.askMore();
        } else if (!pausing && !waiting.isEmpty()) {
            WatchStream opened = new WatchStream();
            stream = opened;
            return opened::open;
        }
        return () -> {};
    }

    /** A watch that is asked for but unconfirmed is ended once confirmed. */
    private synchronized void leave(WatchedKey key) {
        if (waiting.remove(key) == null && stream != null) {
            stream.remove(key);
        }
    }

    private void resume() {
        Runnable next;
        synchronized (this) {
            pausing = false;
            next = serve();
        }
        next.run();
    }

    /** Probes the server, and leaves one that does not answer. */
    private void checkServer() {
        WatchStream open;
        boolean silent;
        synchronized (this) {
            open = stream;
            check = null;
            if (open == null || closed || (open.asked.isEmpty() && open.standing.isEmpty() && waiting.isEmpty())) {
                return;
            }
            check = runtime.scheduler().schedule(this::checkServer, patience);
            open.unheard++;
            silent = open.unheard >= PROBES;
            if (open.unheard == 1) {
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
        List<WatchedKey> left;
        synchronized (this) {
            closed = true;
            open = stream;
            left = new ArrayList<>(waiting.keySet());
            waiting.clear();
            if (check != null) {
                check.cancel();
            }
        }
        if (open != null) {
            open.close();
        }
        left.forEach(key -> key.breakOff(providerClosed()));
    }

    private static IllegalStateException providerClosed() {
        return new IllegalStateException("the provider is closed");
    }

    private static IllegalStateException broken(String reason) {
        return new IllegalStateException("the watch has broken: " + reason);
    }

    private record Asked(ByteString key, long seen, WatchedKey watched) {}

    /** {@link #askMore} and {@link #send} are called under the monitor. */
    private final class WatchStream implements StreamObserver<WatchResponse> {

        /** Unconfirmed. */
        private final Queue<Asked> asked = new ArrayDeque<>();

        /** In the order of their numbers: compact for thousands of held locks. */
        private final List<WatchedKey> standing = new ArrayList<>();

        private @Nullable ClientCallStreamObserver<WatchRequest> requests;
        private boolean heard;
        private int unheard;
        private boolean over;

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
                askMore();
            }
            if (left) {
                close();
            }
        }

        void askMore() {
            Iterator<Asked> next = waiting.values().iterator();
            while (requests != null && !over && asked.size() < MOST_UNCONFIRMED && next.hasNext()) {
                Asked each = next.next();
                next.remove();
                asked.add(each);
                send(WatchRequest.newBuilder()
                        .setCreateRequest(WatchCreateRequest.newBuilder()
                                .setKey(each.key())
                                .addFilters(WatchCreateRequest.FilterType.NOPUT)));
            }
        }

        /** It may have no number yet, or that of an earlier stream: another key may stand there. */
        void remove(WatchedKey key) {
            int at = find(key.number);
            if (at >= 0 && standing.get(at) == key) {
                standing.remove(at);
                cancel(key.number);
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

        @Override
        public void onNext(WatchResponse response) {
            Runnable news;
            synchronized (SharedWatches.this) {
                if (over) {
                    return;
                }
                heard = !response.getCanceled();
                unheard = 0;
                news = response.getCreated() ? confirmed(response, asked.remove()) : news(response);
                askMore();
            }
            news.run();
        }

        private Runnable news(WatchResponse response) {
            int at = find(response.getWatchId());
            if (at < 0) {
                return () -> {};
            }
            if (response.getCanceled()) {
                return ended(response, standing.remove(at));
            }
            return response.getEventsCount() > 0 ? standing.get(at)::wake : () -> {};
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

        /** One refused, unless for a missing right, is refused for the stream's token, as all others will be. */
        private Runnable ended(WatchResponse response, WatchedKey key) {
            String reason = response.getCancelReason();
            boolean expired = response.getCreated() && !reason.contains("permission denied");
            return () -> {
                key.breakOff(broken(reason));
                if (expired) {
                    close();
                }
            };
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
            end(broken("the stream was closed"));
        }

        private void end(Throwable failure) {
            List<WatchedKey> all;
            ClientCallStreamObserver<WatchRequest> opened;
            Runnable next = () -> {};
            synchronized (SharedWatches.this) {
                opened = requests;
                if (!over) {
                    over = true;
                    next = replace();
                }
                all = new ArrayList<>(standing);
                asked.forEach(each -> all.add(each.watched()));
                asked.clear();
                standing.clear();
            }
            next.run();
            all.forEach(key -> key.breakOff(failure));
            if (opened != null) {
                opened.cancel("no longer listening", null);
            }
        }

        /** Those that wait go on waiting for the next stream. */
        private Runnable replace() {
            stream = null;
            if (!heard && !closed) {
                pausing = true;
                runtime.scheduler().schedule(SharedWatches.this::resume, PAUSE.pause(1));
            }
            return serve();
        }
    }
}
