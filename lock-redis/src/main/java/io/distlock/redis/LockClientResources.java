package io.distlock.redis;

import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EventLoopGroupProvider;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The user's timer, resolvers and recorders, but for three things. The pause between attempts to reconnect: the driver's
 * grows to 30 s, during which a Redis that is back could not be locked on. The thread that reads and writes: one for
 * the connections that belong together, so that whoever is told of a release can ask for the lock without waking
 * another thread, and the application's traffic does not hold up a renewal. And the calls leave together, as described
 * at {@link FlushConsolidator}. Shutting these down leaves the user's alone.
 */
final class LockClientResources {

    private static final Delay SHORT =
            Delay.fullJitter(Duration.ofMillis(5), Duration.ofMillis(500), 10, TimeUnit.MILLISECONDS);

    private LockClientResources() {}

    /**
     * @param thread of {@link #oneThread()}; the driver ends the thread once nobody uses it any more
     */
    static ClientResources like(ClientResources users, EventLoopGroupProvider thread) {
        return DefaultClientResources.builder()
                .reconnectDelay(SHORT)
                .eventLoopGroupProvider(thread)
                .nettyCustomizer(new FlushConsolidator(users.nettyCustomizer()))
                .addressResolverGroup(users.addressResolverGroup())
                .commandLatencyRecorder(users.commandLatencyRecorder())
                // What has been recorded is published by the user's.
                .commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
                .eventBus(users.eventBus())
                .eventExecutorGroup(users.eventExecutorGroup())
                .socketAddressResolver(users.socketAddressResolver())
                .timer(users.timer())
                .tracing(users.tracing())
                .build();
    }

    /** A thread for connections that belong together. */
    static EventLoopGroupProvider oneThread() {
        return new DefaultEventLoopGroupProvider(1);
    }
}
