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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One stream to one server with many watches on it. The server confirms watches in the order requested,
 * and numbers them. Requests are sent under the monitor, so that they leave in queue order; sending does not
 * block, and no user code is called under it.
 */
final class WatchStream implements StreamObserver<WatchResponse> {

    private final Queue<WatchedKey> asked = new ArrayDeque<>();
    private final Map<Long, WatchedKey> standing = new HashMap<>();
    private @Nullable ClientCallStreamObserver<WatchRequest> requests;
    private boolean started;
    private boolean heard = true;
    private @Nullable Throwable brokenBy;

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

    // --- asking ---

    void add(WatchedKey key) {
        Throwable reason;
        synchronized (this) {
            reason = brokenBy;
            if (reason == null) {
                key.on(() -> remove(key));
                asked.add(key);
                ask(key);
            }
        }
        if (reason != null) {
            key.breakOff(reason);
        }
    }

    private void ask(WatchedKey key) {
        send(WatchRequest.newBuilder()
                .setCreateRequest(WatchCreateRequest.newBuilder()
                        .setKey(ByteString.copyFrom(key.key.getBytes()))
                        .addFilters(WatchCreateRequest.FilterType.NOPUT)));
    }

    /** An unconfirmed watch is ended once confirmed. */
    private synchronized void remove(WatchedKey key) {
        if (standing.remove(key.number, key)) {
            cancel(key.number);
        }
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

    // --- replies ---

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
        WatchedKey key = response.getCreated()
                ? asked.remove()
                : response.getCanceled() ? standing.remove(number) : standing.get(number);
        if (key == null) {
            return () -> {};
        }
        if (response.getCanceled()) {
            return () -> key.breakOff(broken(response.getCancelReason()));
        }
        if (!response.getCreated()) {
            return key::wake;
        }
        if (key.isOver()) {
            cancel(number);
            return () -> {};
        }
        key.number = number;
        standing.put(number, key);
        return key::stands;
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
        List<WatchedKey> all;
        synchronized (this) {
            brokenBy = brokenBy == null ? failure : brokenBy;
            all = new ArrayList<>(asked);
            all.addAll(standing.values());
            asked.clear();
            standing.clear();
        }
        all.forEach(key -> key.breakOff(failure));
    }

    private static IllegalStateException broken(@Nullable String reason) {
        return new IllegalStateException("the watch has broken" + (reason == null ? "" : ": " + reason));
    }
}
