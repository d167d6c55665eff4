package io.distlock.etcd.watch;

import com.google.protobuf.ByteString;
import io.distlock.etcd.watch.Watches.WatchedKey;
import io.etcd.jetcd.api.WatchCancelRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchProgressRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One stream to one server with many watches on it. The server confirms watches in the order requested,
 * and numbers them. Requests are sent under the monitor, so that they leave in queue order; sending does not
 * block, and no user code is called under it.
 */
final class WatchStream implements StreamObserver<WatchResponse> {

    private final Consumer<WatchedKey> remove = this::remove;
    private final Queue<Asked> asked = new ArrayDeque<>();

    /** In the order of their numbers, which the server counts up: compact for thousands of held locks. */
    private final List<WatchedKey> standing = new ArrayList<>();

    private @Nullable ClientCallStreamObserver<WatchRequest> requests;
    private boolean started;
    private boolean heard = true;
    private @Nullable Throwable brokenBy;

    private record Asked(ByteString key, long seen, WatchedKey watched) {}

    /** Opens the stream, unless that was done. Earlier requests are sent then. */
    void start(Supplier<WatchGrpc.WatchStub> stubs) {
        synchronized (this) {
            if (started) {
                return;
            }
            started = true;
        }
        ClientCallStreamObserver<WatchRequest> opened;
        try {
            opened = (ClientCallStreamObserver<WatchRequest>) stubs.get().watch(this);
        } catch (RuntimeException failure) {
            end(failure);
            return;
        }
        boolean left;
        synchronized (this) {
            requests = opened;
            left = isOver();
            asked.forEach(this::ask);
        }
        if (left) {
            cancel(opened);
        }
    }

    void add(ByteString key, long seen, WatchedKey watched) {
        Throwable reason;
        synchronized (this) {
            reason = brokenBy;
            if (reason == null) {
                watched.on(remove);
                Asked next = new Asked(key, seen, watched);
                asked.add(next);
                ask(next);
            }
        }
        if (reason != null) {
            watched.breakOff(reason);
        }
    }

    private void ask(Asked next) {
        send(WatchRequest.newBuilder()
                .setCreateRequest(WatchCreateRequest.newBuilder()
                        .setKey(next.key())
                        .addFilters(WatchCreateRequest.FilterType.NOPUT)));
    }

    /** An unconfirmed watch is ended once confirmed. */
    private synchronized void remove(WatchedKey key) {
        int at = firstFrom(key.number);
        if (at < standing.size() && standing.get(at) == key) {
            standing.remove(at);
            cancel(key.number);
        }
    }

    private int firstFrom(long number) {
        int low = 0;
        int high = standing.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (standing.get(middle).number < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void cancel(long number) {
        send(WatchRequest.newBuilder()
                .setCancelRequest(WatchCancelRequest.newBuilder().setWatchId(number)));
    }

    private void send(WatchRequest.Builder request) {
        if (requests != null && !isOver()) {
            requests.onNext(request.build());
        }
    }

    /** Leaves a server that has been silent since the last progress request; otherwise sends another. */
    void checkServer() {
        boolean silent;
        synchronized (this) {
            silent = !heard;
            if (heard) {
                heard = false;
                send(WatchRequest.newBuilder().setProgressRequest(WatchProgressRequest.getDefaultInstance()));
            }
        }
        if (silent) {
            close();
        }
    }

    synchronized boolean isUnused() {
        return asked.isEmpty() && standing.isEmpty();
    }

    synchronized boolean isOver() {
        return brokenBy != null;
    }

    @Override
    public void onNext(WatchResponse response) {
        Runnable news;
        synchronized (this) {
            heard = true;
            news = news(response);
        }
        news.run();
    }

    private Runnable news(WatchResponse response) {
        long number = response.getWatchId();
        int at = firstFrom(number);
        if (response.getCreated()) {
            return confirmed(response, asked.remove(), at);
        }
        if (at == standing.size() || standing.get(at).number != number) {
            return () -> {};
        }
        return response.getCanceled() ? ended(response, standing.remove(at)) : standing.get(at)::wake;
    }

    private Runnable confirmed(WatchResponse response, Asked answered, int at) {
        WatchedKey key = answered.watched();
        if (response.getCanceled()) {
            return ended(response, key);
        }
        if (key.isOver()) {
            cancel(response.getWatchId());
            return () -> {};
        }
        key.number = response.getWatchId();
        standing.add(at, key);
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
        synchronized (this) {
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
        List<WatchedKey> all = new ArrayList<>();
        synchronized (this) {
            brokenBy = brokenBy == null ? failure : brokenBy;
            all.addAll(standing);
            asked.forEach(each -> all.add(each.watched()));
            asked.clear();
            standing.clear();
        }
        all.forEach(key -> key.breakOff(failure));
    }

    private static IllegalStateException broken(@Nullable String reason) {
        return new IllegalStateException("the watch has broken" + (reason == null ? "" : ": " + reason));
    }
}
