package io.distlock.etcd;

import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The server's side of a stream of watches, as a test wants it: it says nothing unless told to. */
final class ScriptedWatchServer extends Channel {

    private final List<Stream> streams = new ArrayList<>();

    /** A stream that was opened: what the client has asked, and whether it has left. */
    static final class Stream extends ClientCall<Object, Object> {

        final List<WatchRequest> asked = new ArrayList<>();
        boolean left;
        private @Nullable Listener<Object> client;

        void say(WatchResponse.Builder response) {
            client.onMessage(response.build());
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

    WatchGrpc.WatchStub stub() {
        return WatchGrpc.newStub(this);
    }

    List<Stream> streams() {
        return streams;
    }

    Stream last() {
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
