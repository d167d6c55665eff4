package io.distlock.redis.connection;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.SingleThreadEventExecutor;

/**
 * Lets calls that are made at the same time leave together. The driver hands each command to the network by itself, and
 * that costs as much as all else that it does for a command.
 *
 * <p>A call that is alone leaves at once: only while other tasks stand in the queue of the driver's thread is a flush put
 * off, to the end of that queue at most. (Netty's own handler for this puts every flush behind the queue, which is seen
 * in the time that a lock takes which nobody else wants, and in that of a hand-over.)
 */
final class FlushConsolidator implements NettyCustomizer {

    /** Few, so that the server can begin with the first calls while the others are being written. */
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

    /** Used on the thread of its channel only. */
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
            } else {
                putOff++;
                plan(context);
            }
        }

        /** Those who stand in the queue may have nothing to flush. */
        private void plan(ChannelHandlerContext context) {
            if (!planned) {
                planned = true;
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

        @Override
        public void disconnect(ChannelHandlerContext context, ChannelPromise promise) {
            flushWhatWasPutOff(context);
            context.disconnect(promise);
        }

        @Override
        public void close(ChannelHandlerContext context, ChannelPromise promise) {
            flushWhatWasPutOff(context);
            context.close(promise);
        }
    }
}
