package io.distlock.etcd;

import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.MethodDescriptor;

/**
 * Has calls answered on the thread that reads the connection. And makes them nobody's: by default a call belongs to the gRPC
 * call that is being served on this thread, and ends with it; but a lock may be released after that, and all who wait share
 * one stream of watches.
 */
final class DetachedCalls implements ClientInterceptor {

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
