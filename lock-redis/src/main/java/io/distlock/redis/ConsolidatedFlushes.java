package io.distlock.redis;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;

/**
 * Lets calls that are made at the same time leave together. The driver hands each command to the network by itself, and
 * that costs as much as all else that it does for a command. A call that is alone leaves just as soon: nothing is waited
 * for but the calls that stand in the queue of the driver's thread already.
 */
final class ConsolidatedFlushes implements NettyCustomizer {

    /** Few, so that the server can begin with the first calls while the others are being written. */
    private static final int TOGETHER = 8;

    private final NettyCustomizer users;

    ConsolidatedFlushes(NettyCustomizer users) {
        this.users = users;
    }

    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        users.afterBootstrapInitialized(bootstrap);
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
        channel.pipeline().addFirst(new FlushConsolidationHandler(TOGETHER, true));
        users.afterChannelInitialized(channel);
    }
}
