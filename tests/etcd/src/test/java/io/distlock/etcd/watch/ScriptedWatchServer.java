package io.distlock.etcd.watch;

import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The server's side of a stream of watches, as a test wants it: it says nothing unless told to. */
public final class ScriptedWatchServer extends Channel {

    private final List<Stream> streams = new CopyOnWriteArrayList<>();

    /** A stream that was opened: what the client has asked, and whether it has left. */
    public static final class Stream extends ClientCall<Object, Object> {

        public final List<WatchRequest> asked = new CopyOnWriteArrayList<>();
        volatile boolean left;
        private long confirmed;
        private volatile @Nullable Listener<Object> client;

        void say(WatchResponse.Builder response) {
            client.onMessage(response.build());
        }

        void breaks() {
            client.onClose(Status.UNAVAILABLE, new Metadata());
        }

        @Override
        public void start(Listener<Object> responseListener, Metadata headers) {
            client = responseListener;
        }

        @Override
        public void request(int messages) {}

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {
            left = true;
        }

        @Override
        public void halfClose() {}

        @Override
        public void sendMessage(Object message) {
            asked.add((WatchRequest) message);
        }
    }

    /** Confirms what the last stream has been asked for, in order and once. */
    public void confirmAll() {
        Stream stream = last();
        while (stream.confirmed
                < stream.asked.stream().filter(WatchRequest::hasCreateRequest).count()) {
            stream.say(WatchResponse.newBuilder().setCreated(true).setWatchId(stream.confirmed++));
        }
    }

    public WatchGrpc.WatchStub stub() {
        return WatchGrpc.newStub(this);
    }

    public List<Stream> streams() {
        return streams;
    }

    public Stream last() {
        return streams.get(streams.size() - 1);
    }

    @Override
    @SuppressWarnings("unchecked") // there is one method only
    public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
        Stream stream = new Stream();
        streams.add(stream);
        return (ClientCall<Q, A>) stream;
    }

    @Override
    public String authority() {
        return "scripted";
    }
}
