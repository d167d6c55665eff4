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
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One stream to one server with many watches on it. The server confirms watches in the order in which they were asked for,
 * and gives each a number. Requests are sent under the monitor, which does not block, so that they leave in the order of
 * the books; nobody is called under it.
 */
final class WatchStream implements ClientResponseObserver<WatchRequest, WatchResponse> {

    private final Queue<WatchedKey> asked = new ArrayDeque<>();
    private final Map<Long, WatchedKey> standing = new HashMap<>();
    private @Nullable ClientCallStreamObserver<WatchRequest> requests;
    private boolean started;
    private boolean open;
    private boolean heard = true;
    private @Nullable Throwable brokenBy;

    /** Opens the stream, unless somebody has. What is asked for before is sent then. */
    void start(Supplier<WatchGrpc.WatchStub> stubs) {
        synchronized (this) {
            if (started) {
                return;
            }
            started = true;
        }
        try {
            stubs.get().watch(this);
        } catch (RuntimeException failure) {
            end(failure);
            return;
        }
        opened();
    }

    @Override
    public synchronized void beforeStart(ClientCallStreamObserver<WatchRequest> requestStream) {
        requests = requestStream;
    }

    private void opened() {
        boolean left;
        synchronized (this) {
            open = true;
            left = isOver();
            asked.forEach(this::ask);
        }
        if (left) {
            cancelCall();
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
                        .setKey(ByteString.copyFrom(key.key().getBytes()))
                        .addFilters(WatchCreateRequest.FilterType.NOPUT)));
    }

    /** One that is not confirmed yet is ended when it is. */
    private synchronized void remove(WatchedKey key) {
        if (standing.remove(key.number(), key)) {
            cancel(key.number());
        }
    }

    private void cancel(long number) {
        send(WatchRequest.newBuilder()
                .setCancelRequest(WatchCancelRequest.newBuilder().setWatchId(number)));
    }

    private void send(WatchRequest.Builder request) {
        if (open && !isOver()) {
            Objects.requireNonNull(requests, "not started").onNext(request.build());
        }
    }

    /** Leaves a server that has said nothing since it was asked to; asks one that has said nothing of its own accord. */
    void feelPulse() {
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

    // --- hearing ---

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
        if (response.getCreated()) {
            WatchedKey key = asked.remove();
            if (response.getCanceled()) {
                return () -> key.breakOff(broken(response.getCancelReason()));
            }
            if (key.isOver()) {
                cancel(number);
                return () -> {};
            }
            key.number(number);
            standing.put(number, key);
            return key::stands;
        }
        WatchedKey key = response.getCanceled() ? standing.remove(number) : standing.get(number);
        if (key == null) {
            return () -> {};
        }
        return response.getCanceled() ? () -> key.breakOff(broken(response.getCancelReason())) : key::wake;
    }

    @Override
    public void onError(Throwable failure) {
        end(failure);
    }

    @Override
    public void onCompleted() {
        end(broken("the server has ended the stream"));
    }

    /** Ends the stream; all watches on it break. */
    void close() {
        // First: nothing may be sent on a call that is cancelled.
        end(broken("left"));
        cancelCall();
    }

    private void cancelCall() {
        ClientCallStreamObserver<WatchRequest> sender;
        synchronized (this) {
            sender = requests;
        }
        if (sender != null) {
            sender.cancel("no longer listening", null);
        }
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
