package io.distlock.redis;

import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.EventPublisherOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.SocketAddressResolver;
import io.lettuce.core.tracing.Tracing;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.Timer;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The user's timer, resolvers and recorders, but for three things. The pause between attempts to reconnect: the driver's
 * grows to 30 s, during which a Redis that is back could not be locked on. The thread that reads and writes: one for
 * the connections that belong together, so that whoever is told of a release can ask for the lock without waking
 * another thread, and the application's traffic does not hold up a renewal. And the calls leave together, as described
 * at {@link ConsolidatedFlushes}. Shutting this down leaves the user's alone.
 */
final class LockClientResources implements ClientResources {

    private static final Delay SHORT =
            Delay.fullJitter(Duration.ofMillis(5), Duration.ofMillis(500), 10, TimeUnit.MILLISECONDS);

    private final ClientResources users;
    private final EventLoopGroupProvider oneThread;

    /**
     * @param oneThread of {@link #oneThread()}; the driver ends the thread once nobody uses it any more
     */
    LockClientResources(ClientResources users, EventLoopGroupProvider oneThread) {
        this.users = users;
        this.oneThread = oneThread;
    }

    /** A thread for connections that belong together. */
    static EventLoopGroupProvider oneThread() {
        return new DefaultEventLoopGroupProvider(1);
    }

    @Override
    public Delay reconnectDelay() {
        return SHORT;
    }

    @Override
    public Future<Boolean> shutdown() {
        return shutdown(0, 2, TimeUnit.SECONDS);
    }

    @Override
    public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
        return oneThread.shutdown(quietPeriod, timeout, unit);
    }

    @Override
    public Builder mutate() {
        return users.mutate().reconnectDelay(SHORT);
    }

    @Override
    public AddressResolverGroup<?> addressResolverGroup() {
        return users.addressResolverGroup();
    }

    @Override
    public EventPublisherOptions commandLatencyPublisherOptions() {
        return users.commandLatencyPublisherOptions();
    }

    @Override
    public CommandLatencyRecorder commandLatencyRecorder() {
        return users.commandLatencyRecorder();
    }

    @Override
    public int computationThreadPoolSize() {
        return users.computationThreadPoolSize();
    }

    @Override
    public EventBus eventBus() {
        return users.eventBus();
    }

    @Override
    public EventLoopGroupProvider eventLoopGroupProvider() {
        return oneThread;
    }

    @Override
    public EventExecutorGroup eventExecutorGroup() {
        return users.eventExecutorGroup();
    }

    @Override
    public int ioThreadPoolSize() {
        return oneThread.threadPoolSize();
    }

    @Override
    public NettyCustomizer nettyCustomizer() {
        return new ConsolidatedFlushes(users.nettyCustomizer());
    }

    @Override
    public SocketAddressResolver socketAddressResolver() {
        return users.socketAddressResolver();
    }

    @Override
    public Timer timer() {
        return users.timer();
    }

    @Override
    public Tracing tracing() {
        return users.tracing();
    }
}
