package io.distlock.etcd.client;

import com.google.common.util.concurrent.MoreExecutors;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.WatchGrpc;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What the locks change about each driver call. */
public final class ClientInterceptors {

    private ClientInterceptors() {}

    /**
     * Answers calls on the thread that reads the connection. Also detaches them: by default a call belongs to the gRPC call
     * that this thread serves, and ends with it; but a lock may be released after that, and all waiters share one stream of
     * watches.
     */
    public static final class Detaching implements ClientInterceptor {

        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            Context served = Context.ROOT.attach();
            try {
                return next.newCall(method, options.withExecutor(MoreExecutors.directExecutor()));
            } finally {
                Context.ROOT.detach(served);
            }
        }
    }

    /**
     * Gives each call a deadline that is also sent to the server, so that an abandoned call is neither sent later
     * nor processed. A watch has none; a single keepalive, although a stream, has one.
     */
    public record Deadlines(Duration limit) implements ClientInterceptor {

        private static final String KEEP_ALIVE = "etcdserverpb.Lease/LeaseKeepAlive";

        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            boolean ends = method.getType() == MethodDescriptor.MethodType.UNARY
                    || method.getFullMethodName().equals(KEEP_ALIVE);
            return next.newCall(
                    method, ends ? options.withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS) : options);
        }
    }

    /**
     * Hides from the driver that a server is unavailable: it would try again by itself, and log two warnings for each
     * call that failed. {@link EtcdCalls} tries again instead.
     */
    public static final class Unretried implements ClientInterceptor {

        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            ClientCall<Q, A> call = next.newCall(method, options);
            if (method.getType() != MethodDescriptor.MethodType.UNARY) {
                return call;
            }
            return new SimpleForwardingClientCall<>(call) {
                @Override
                public void start(Listener<A> listener, Metadata headers) {
                    Listener<A> hiding = new SimpleForwardingClientCallListener<>(listener) {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            super.onClose(EtcdCallException.hideUnavailable(status), trailers);
                        }
                    };
                    super.start(hiding, headers);
                }
            };
        }
    }

    /**
     * Remembers the driver's channel and credentials from its calls, for features that the driver lacks: many watches on
     * one stream, and status requests on existing connections. Thread-safe.
     */
    public static final class ChannelCapture implements ClientInterceptor {

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

        public WatchGrpc.WatchStub watches() {
            return WatchGrpc.newStub(captured()).withCallCredentials(credentials);
        }

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
}
