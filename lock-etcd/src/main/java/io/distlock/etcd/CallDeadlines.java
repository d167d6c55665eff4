package io.distlock.etcd;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Gives each call a deadline that the server is told, too, so that what its caller has given up is neither sent later nor
 * worked on. A watch has none; a single keepalive is a stream to the protocol, and has.
 */
final class CallDeadlines implements ClientInterceptor {

    private static final String KEEP_ALIVE = "etcdserverpb.Lease/LeaseKeepAlive";

    private final Duration limit;

    CallDeadlines(Duration limit) {
        this.limit = limit;
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        boolean ends = method.getType() == MethodDescriptor.MethodType.UNARY
                || method.getFullMethodName().equals(KEEP_ALIVE);
        return next.newCall(method, ends ? options.withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS) : options);
    }
}
