package io.distlock.redis.connection;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.SingleThreadEventExecutor;

/**
 * Sends concurrent calls with one flush. The driver's flush of each command costs as much as the rest of its work.
 *
 * <p>A single call leaves at once: a flush is deferred only while tasks are queued on the driver's thread. (Netty's own
 * handler defers every flush, which slows uncontended locks and hand-overs.)
 */
final class FlushConsolidator implements NettyCustomizer {

    /** Few, so that the server can start on the first calls while the others are being written. */
    private static final int TOGETHER = 8;

    private final NettyCustomizer users;

    FlushConsolidator(NettyCustomizer users) {
        this.users = users;
    }

    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        users.afterBootstrapInitialized(bootstrap);
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
        if (channel.eventLoop() instanceof SingleThreadEventExecutor thread) {
            channel.pipeline().addFirst(new Handler(thread));
        }
        users.afterChannelInitialized(channel);
    }

    /** Used only on its channel's thread. */
    private static final class Handler extends ChannelOutboundHandlerAdapter {

        private final SingleThreadEventExecutor thread;
        private int putOff;
        private boolean planned;

        Handler(SingleThreadEventExecutor thread) {
            this.thread = thread;
        }

        @Override
        public void flush(ChannelHandlerContext context) {
            if (putOff + 1 >= TOGETHER || thread.pendingTasks() == 0) {
                putOff = 0;
                context.flush();
                return;
            }
            putOff++;
            if (!planned) {
                planned = true;
                // In case the queued tasks flush nothing.
                thread.execute(() -> {
                    planned = false;
                    flushWhatWasPutOff(context);
                });
            }
        }

        private void flushWhatWasPutOff(ChannelHandlerContext context) {
            if (putOff > 0) {
                putOff = 0;
                context.flush();
            }
        }

        // To Netty, disconnecting such a channel is closing it.
        @Override
        public void close(ChannelHandlerContext context, ChannelPromise promise) {
            flushWhatWasPutOff(context);
            context.close(promise);
        }
    }
}
