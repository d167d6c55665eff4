package io.distlock.redis.connection;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection on which nothing has been received for two to three call timeouts since something was sent; the driver
 * then ends pending calls and reconnects. TCP takes a quarter of an hour to notice a peer that vanished silently. Redis answers in
 * order, so after such a silence no later call is answered either. Used only on its channel's thread.
 */
final class SilenceHandler extends ChannelDuplexHandler {

    private static final Logger log = LoggerFactory.getLogger(SilenceHandler.class);

    private final Duration callTimeout;
    private final String advice;
    private boolean unanswered;
    private boolean planned;
    /** Counted, not measured: when this process was paused, what has arrived meanwhile is read before the next check. */
    private int silentChecks;

    /**
     * @param advice ends the warning
     */
    SilenceHandler(Duration callTimeout, String advice) {
        this.callTimeout = callTimeout;
        this.advice = advice;
    }

    /** Adds one to each connection, behind what the user's customizer does. */
    static NettyCustomizer onEach(NettyCustomizer users, Duration callTimeout, String advice) {
        return new NettyCustomizer() {
            @Override
            public void afterBootstrapInitialized(Bootstrap bootstrap) {
                users.afterBootstrapInitialized(bootstrap);
            }

            @Override
            public void afterChannelInitialized(Channel channel) {
                channel.pipeline().addFirst(new SilenceHandler(callTimeout, advice));
                users.afterChannelInitialized(channel);
            }
        };
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (!unanswered) {
            unanswered = true;
            // The current period has begun before this call.
            silentChecks = planned ? -1 : 0;
        }
        if (!planned) {
            plan(context);
        }
        context.write(message, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        unanswered = false;
        context.fireChannelRead(message);
    }

    private void plan(ChannelHandlerContext context) {
        planned = true;
        context.executor().schedule(() -> check(context), callTimeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void check(ChannelHandlerContext context) {
        planned = false;
        if (!unanswered || !context.channel().isActive()) {
            return;
        }
        if (++silentChecks < 2) {
            plan(context);
            return;
        }
        log.warn(
                "Redis {} has not answered for more than {} ms: reconnecting{}",
                context.channel().remoteAddress(),
                2 * callTimeout.toMillis(),
                advice);
        // What TCP has not delivered is dropped: sent again after a close, it would take a lock for a caller that has
        // given up.
        context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
        context.close();
    }
}
