package io.distlock.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.AlarmResponse;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.StatusResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The part of {@link FakeEtcd} that is asked over a channel: watches, and what the driver's interfaces cannot express. */
final class FakeWatches extends Channel {

    private final Supplier<ResponseHeader> header;
    private final Function<TxnRequest, CompletableFuture<TxnResponse>> transactions;
    private final List<Stream> streams = new ArrayList<>();
    private boolean deaf;

    FakeWatches(Supplier<ResponseHeader> header, Function<TxnRequest, CompletableFuture<TxnResponse>> transactions) {
        this.header = header;
        this.transactions = transactions;
    }

    /** From now on, deletions are told to nobody. */
    void tellNothing() {
        deaf = true;
    }

    void breakOff() {
        List.copyOf(streams).forEach(each -> {
            streams.remove(each);
            each.listener.onClose(Status.UNAVAILABLE, new Metadata());
        });
    }

    int size() {
        return streams.stream().mapToInt(each -> each.watched.size()).sum();
    }

    void deleted(ByteString key) {
        if (!deaf) {
            List.copyOf(streams).forEach(each -> each.deleted(key));
        }
    }

    @Override
    @SuppressWarnings("unchecked") // each method has a call of its own
    public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
        return (ClientCall<Q, A>)
                switch (method.getBareMethodName()) {
                    case "Watch" -> new Stream();
                    case "Txn" -> new Unary(request -> transactions.apply((TxnRequest) request));
                    case "Status" -> new Unary(request -> CompletableFuture.completedFuture(STATUS));
                    default ->
                        new Unary(request -> CompletableFuture.completedFuture(AlarmResponse.getDefaultInstance()));
                };
    }

    private static final StatusResponse STATUS = StatusResponse.newBuilder()
            .setVersion("3.5.30")
            .setLeader(1)
            .setHeader(ResponseHeader.newBuilder().setMemberId(1))
            .build();

    @Override
    public String authority() {
        return "fake";
    }

    private abstract static class Open extends ClientCall<Object, Object> {

        @Nullable
        Listener<Object> listener;

        @Override
        public void start(Listener<Object> responseListener, Metadata headers) {
            listener = responseListener;
        }

        @Override
        public void request(int messages) {}

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {}

        @Override
        public void halfClose() {}
    }

    private static final class Unary extends Open {

        private final Function<Object, CompletableFuture<?>> work;

        Unary(Function<Object, CompletableFuture<?>> work) {
            this.work = work;
        }

        @Override
        public void sendMessage(Object message) {
            work.apply(message).whenComplete((answer, failure) -> {
                if (failure == null) {
                    listener.onMessage(answer);
                }
                listener.onClose(failure == null ? Status.OK : Status.fromThrowable(failure), new Metadata());
            });
        }
    }

    private final class Stream extends Open {

        private final Map<Long, ByteString> watched = new LinkedHashMap<>();
        private long last;

        @Override
        public void start(Listener<Object> responseListener, Metadata headers) {
            super.start(responseListener, headers);
            streams.add(this);
        }

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {
            streams.remove(this);
        }

        @Override
        public void sendMessage(Object message) {
            WatchRequest request = (WatchRequest) message;
            if (request.hasCreateRequest()) {
                watched.put(last, request.getCreateRequest().getKey());
                say(WatchResponse.newBuilder().setCreated(true).setWatchId(last++));
            } else if (request.hasCancelRequest()) {
                watched.remove(request.getCancelRequest().getWatchId());
            }
        }

        private void say(WatchResponse.Builder response) {
            listener.onMessage(response.setHeader(header.get()).build());
        }

        void deleted(ByteString key) {
            List.copyOf(watched.entrySet()).stream()
                    .filter(each -> each.getValue().equals(key))
                    .forEach(each -> say(WatchResponse.newBuilder()
                            .setWatchId(each.getKey())
                            .addEvents(Event.newBuilder()
                                    .setType(Event.EventType.DELETE)
                                    .setKv(KeyValue.newBuilder().setKey(key)))));
        }
    }
}
