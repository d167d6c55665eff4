package io.distlock.etcd.client;

import com.google.common.util.concurrent.MoreExecutors;
import io.etcd.jetcd.api.KVGrpc;
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
     * How calls are sent and answered:
     * <ul>
     *   <li>Each has a deadline that is also sent to the server, so that an abandoned call is neither sent later nor
     *       processed. A watch has none; a single keepalive, although a stream, has one. That of asking for a token is later: all
     *       calls need it, and a busy server takes long to compute the password's hash.
     *   <li>It is answered on the thread that reads the connection.
     *   <li>It is detached: by default a call belongs to the gRPC call that this thread serves, and ends with it; but a lock
     *       may be released after that, and all waiters share one stream of watches.
     *   <li>The driver does not learn that a server is unavailable: it would try again by itself, and log two warnings for each
     *       call that failed. {@link EtcdCalls} tries again instead.
     * </ul>
     */
    public record CallRules(Duration callTimeout) implements ClientInterceptor {

        private static final String AUTHENTICATE = "etcdserverpb.Auth/Authenticate";
        private static final String KEEP_ALIVE = "etcdserverpb.Lease/LeaseKeepAlive";

        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            boolean unary = method.getType() == MethodDescriptor.MethodType.UNARY;
            boolean ends = unary || method.getFullMethodName().equals(KEEP_ALIVE);
            long nanos = callTimeout.toNanos() * (method.getFullMethodName().equals(AUTHENTICATE) ? 10 : 1);
            CallOptions answered = options.withExecutor(MoreExecutors.directExecutor());
            Context served = Context.ROOT.attach();
            try {
                ClientCall<Q, A> call =
                        next.newCall(method, ends ? answered.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS) : answered);
                return unary ? unretried(call) : call;
            } finally {
                Context.ROOT.detach(served);
            }
        }

        private static <Q, A> ClientCall<Q, A> unretried(ClientCall<Q, A> call) {
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
        private final Duration callTimeout;
        private volatile @Nullable CallCredentials credentials;

        public ChannelCapture(Duration callTimeout) {
            this.callTimeout = callTimeout;
        }

        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            channel = next;
            CallCredentials used = options.getCredentials();
            // Asking for a token is itself a call, without credentials.
            return next.newCall(method, used == null ? options : options.withCallCredentials(shared(used)));
        }

        private synchronized CallCredentials shared(CallCredentials used) {
            CallCredentials known = credentials;
            if (known == null) {
                known = new SharedToken(used, callTimeout);
                credentials = known;
            }
            return known;
        }

        public WatchGrpc.WatchStub watches() {
            return WatchGrpc.newStub(captured()).withCallCredentials(credentials);
        }

        KVGrpc.KVStub kv() {
            return KVGrpc.newStub(captured()).withCallCredentials(credentials);
        }

        public MaintenanceGrpc.MaintenanceStub maintenance() {
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
