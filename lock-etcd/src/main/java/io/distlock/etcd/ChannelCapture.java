package io.distlock.etcd;

import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.WatchGrpc;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the driver's channel and credentials from the calls that pass, for what the driver does not offer: many
 * watches on one stream, and questions to the servers on the connections that there are. Thread-safe.
 */
final class ChannelCapture implements ClientInterceptor {

    private volatile @Nullable Channel channel;
    private volatile @Nullable CallCredentials credentials;

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        channel = next;
        CallCredentials used = options.getCredentials();
        // Asking for a token is itself a call, without credentials.
        if (used != null) {
            credentials = used;
        }
        return next.newCall(method, options);
    }

    /** Fails if no call has passed yet. */
    WatchGrpc.WatchStub watches() {
        return WatchGrpc.newStub(captured()).withCallCredentials(credentials);
    }

    /** Fails if no call has passed yet. */
    MaintenanceGrpc.MaintenanceStub maintenance() {
        return MaintenanceGrpc.newStub(captured()).withCallCredentials(credentials);
    }

    private Channel captured() {
        Channel known = channel;
        if (known == null) {
            throw new IllegalStateException("etcd has not been called yet");
        }
        return known;
    }
}
