package io.distlock.redis.connection;

import io.distlock.spi.Ticker;
import io.distlock.support.Backoff;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.protocol.DefaultEndpoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One connection, made when first needed; if that fails, retried when next needed, after a pause. Once it is made,
 * the driver reconnects it; {@link SilenceHandler} sees to it that it does so when the server falls silent. Never blocks. Thread-safe.
 */
public final class RedisConnection<C extends StatefulConnection<String, String>> {

    /** As between the driver's attempts to reconnect. */
    private static final Backoff BETWEEN_TRIES = new Backoff(Duration.ofMillis(20), Duration.ofMillis(500));

    private final Supplier<? extends CompletionStage<C>> connector;
    private final Ticker ticker;
    private final Duration callTimeout;
    private final AtomicReference<@Nullable CompletableFuture<C>> connection = new AtomicReference<>();
    // Written by the one ongoing try before it ends, read by others afterwards.
    private int failures;
    private long nextTryNanos;

    private volatile boolean closed;

    public RedisConnection(Supplier<? extends CompletionStage<C>> connector, Ticker ticker, Duration callTimeout) {
        this.connector = connector;
        this.ticker = ticker;
        this.callTimeout = callTimeout;
    }

    /** The connection; fails if it cannot be made now, or could not be a moment ago. */
    public CompletableFuture<C> connect() {
        CompletableFuture<C> known = connection.get();
        if (known != null && (!known.isCompletedExceptionally() || ticker.nanos() - nextTryNanos < 0)) {
            return known;
        }
        CompletableFuture<C> made = new CompletableFuture<>();
        CompletableFuture<C> earlier = connection.compareAndExchange(known, made);
        if (earlier != null && earlier != known) {
            return earlier;
        }
        open().whenComplete((opened, failure) -> {
            if (failure == null) {
                made.complete(opened);
            } else {
                nextTryNanos = ticker.nanos() + BETWEEN_TRIES.pause(++failures).toNanos();
                made.completeExceptionally(failure);
            }
        });
        return made;
    }

    /** Whether it was ever up; from then on the driver keeps it and refuses calls while it is down. */
    public boolean isMade() {
        CompletableFuture<C> known = connection.get();
        return known != null && known.isDone() && !known.isCompletedExceptionally();
    }

    private CompletionStage<C> open() {
        if (closed) {
            return CompletableFuture.failedFuture(new RedisException("the connection is closed"));
        }
        try {
            return connector.get();
        } catch (RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    /** Sends a call; any error completes the call. */
    public void send(RedisCall<?> call) {
        CompletableFuture<C> connecting = connect();
        if (!connecting.isDone() || connecting.isCompletedExceptionally()) {
            connecting.whenComplete((connected, failure) -> sendLate(call, failure));
            return;
        }
        // A ready connection is the hot path: no callback, no hop.
        C connected = connecting.join();
        if (isDown(connected)) {
            // The driver would also refuse it, but with a stack trace, for which each lock would pay.
            call.completeExceptionally(new RedisCallException("not connected", false));
            return;
        }
        try {
            RedisCall<?> before = call.before();
            if (before == null) {
                connected.dispatch(call);
            } else {
                connected.dispatch(List.of(before, call));
            }
        } catch (RuntimeException failure) {
            call.completeExceptionally(failure);
        }
    }

    private void sendLate(RedisCall<?> call, @Nullable Throwable failure) {
        if (failure != null) {
            call.completeExceptionally(failure);
        } else if (ticker.nanos() - call.createdNanos() > callTimeout.toNanos()) {
            // Its caller has stopped waiting: sent now, it would do something no longer expected.
            call.completeExceptionally(new RedisException("connecting took too long"));
        } else {
            send(call);
        }
    }

    /** A cluster connection consists of many, and picks one by itself. */
    private static boolean isDown(StatefulConnection<?, ?> connected) {
        return !connected.isOpen() && !(connected instanceof StatefulRedisClusterConnection<?, ?>);
    }

    /** Cuts the connection if it is up: the driver ends pending calls and reconnects. */
    public void cut() {
        if (isMade()) {
            connect().thenAccept(RedisConnection::cut);
        }
    }

    private static void cut(StatefulConnection<?, ?> connected) {
        if (connected instanceof RedisChannelHandler<?, ?> handler
                && handler.getChannelWriter() instanceof DefaultEndpoint endpoint) {
            endpoint.disconnect();
        }
    }

    /** Closes the connection, even if it is still being made; calls under way fail. */
    public CompletableFuture<Void> close() {
        closed = true;
        CompletableFuture<C> known = connection.get();
        return known == null || known.isCompletedExceptionally()
                ? CompletableFuture.completedFuture(null)
                : known.thenCompose(StatefulConnection::closeAsync);
    }
}
