package io.distlock.redis.connection;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisException;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.KqueueProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The Lettuce options and resources of the locks' connections: the application's, changed where locks need it. */
final class LettuceOptions {

    /** A dead peer of an idle connection, such as the subscriptions', is noticed after about 15 s. */
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(5);

    private static final int LOST_KEEP_ALIVES = 2;

    /** One try to connect: longer ones would delay a fail-over to another address. */
    private static final Duration LONGEST_TRY = Duration.ofSeconds(2);

    /** Between attempts to reconnect. */
    private static final Delay SHORT =
            Delay.fullJitter(Duration.ofMillis(5), Duration.ofMillis(500), 10, TimeUnit.MILLISECONDS);

    private LettuceOptions() {}

    static ClientOptions options(ClientOptions users, Duration connectTimeout) {
        return users.mutate()
                .autoReconnect(true)
                // While disconnected, an attempt must fail now and not be sent later.
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(LettuceOptions::neverAgain)
                // A timer per command costs more than the command; the callers limit the time themselves.
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .publishOnScheduler(false)
                .pingBeforeActivateConnection(true)
                .socketOptions(sockets(users.getSocketOptions(), connectTimeout))
                .build();
    }

    /** The driver calls this before it queues a command it could not write, and drops the command if true. */
    private static boolean neverAgain(RedisCommand<?, ?, ?> command) {
        // The driver passes null for a batch, despite the type.
        if (command != null) {
            command.completeExceptionally(new RedisException("The connection was lost before the command was sent"));
        }
        return true;
    }

    private static SocketOptions sockets(SocketOptions users, Duration connectTimeout) {
        SocketOptions.Builder builder =
                users.mutate().connectTimeout(connectTimeout.compareTo(LONGEST_TRY) < 0 ? connectTimeout : LONGEST_TRY);
        // The driver warns there that it cannot.
        if (!KqueueProvider.isAvailable()) {
            builder.keepAlive(KeepAliveOptions.builder()
                    .enable()
                    .idle(KEEP_ALIVE)
                    .interval(KEEP_ALIVE)
                    .count(LOST_KEEP_ALIVES)
                    .build());
        }
        return builder.build();
    }

    /**
     * The user's resources with three changes. Reconnecting: the driver's pauses grow to 30 s, too long for a Redis that
     * is back. Threads: one for connections that belong together, so that a waiter asks for a released lock without
     * waking another thread, and the application's traffic does not delay a renewal. Channels: see
     * {@link FlushConsolidator} and {@link SilenceHandler}. Shutting these down leaves the user's alone.
     */
    static ClientResources resources(
            ClientResources users, EventLoopGroupProvider thread, Duration callTimeout, String advice) {
        return DefaultClientResources.builder()
                .reconnectDelay(SHORT)
                .eventLoopGroupProvider(thread)
                .nettyCustomizer(
                        new FlushConsolidator(SilenceHandler.onEach(users.nettyCustomizer(), callTimeout, advice)))
                .addressResolverGroup(users.addressResolverGroup())
                .commandLatencyRecorder(users.commandLatencyRecorder())
                // The user's resources publish the recordings.
                .commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
                .eventBus(users.eventBus())
                .eventExecutorGroup(users.eventExecutorGroup())
                .socketAddressResolver(users.socketAddressResolver())
                .timer(users.timer())
                .tracing(users.tracing())
                .build();
    }

    /**
     * Sends concurrent calls with one flush. The driver's flush of each command costs as much as the rest of its work.
     *
     * <p>A single call leaves at once: a flush is deferred only while tasks are queued on the driver's thread. (Netty's own
     * handler defers every flush, which slows uncontended locks and hand-overs.)
     */
    record FlushConsolidator(NettyCustomizer users) implements NettyCustomizer {

        /** Few, so that the server can start on the first calls while the others are being written. */
        private static final int TOGETHER = 8;

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
}
