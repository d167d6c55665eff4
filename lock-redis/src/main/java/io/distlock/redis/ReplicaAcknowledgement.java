package io.distlock.redis;

import io.distlock.spi.Ticker;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lets a write count only once replicas have it. WAIT speaks of the writes of its own connection, and holds up what
 * comes after it there: hence a connection for these writes alone. Thread-safe.
 */
final class ReplicaAcknowledgement {

    private final int replicas;
    private final ScriptRunner runner;
    private final RedisLink<?> link;
    private final Ticker ticker;
    private final long waitMillis;

    ReplicaAcknowledgement(int replicas, ScriptRunner runner, RedisLink<?> link, Ticker ticker, Duration callTimeout) {
        this.replicas = replicas;
        this.runner = runner;
        this.link = link;
        this.ticker = ticker;
        // The answer that too few have it must itself arrive in time, even behind another that waits in vain.
        this.waitMillis = Math.max(1, callTimeout.toMillis() / 3);
    }

    /**
     * Runs a script; fails, as something that may have been applied, if it wrote what too few replicas have.
     *
     * @param wrote whether a reply means so
     */
    <T> CompletableFuture<T> run(ScriptCall<T> invocation, Predicate<T> wrote) {
        AtomicReference<RedisCall<Long>> acknowledged = new AtomicReference<>();
        return runner.run(invocation, call -> {
                    RedisCall<Long> wait = newWait();
                    acknowledged.set(wait);
                    // Together, or a connection lost in between would let WAIT speak of a connection without writes.
                    link.send(call, wait);
                })
                .thenCompose(reply -> wrote.test(reply)
                        ? acknowledged.get().handle((count, failure) -> enough(reply, count, failure))
                        : CompletableFuture.completedFuture(reply));
    }

    private <T> T enough(T reply, @Nullable Long count, @Nullable Throwable failure) {
        if (count == null) {
            throw new CompletionException(
                    new RedisCallException("whether replicas have the lock is unknown: " + failure, true));
        }
        if (count < replicas) {
            throw new CompletionException(new RedisCallException(
                    "only " + count + " of " + replicas + " replicas have acknowledged the lock in time", true));
        }
        return reply;
    }

    private RedisCall<Long> newWait() {
        CommandArgs<String, String> arguments =
                new CommandArgs<>(StringCodec.UTF8).add(replicas).add(waitMillis);
        return new RedisCall<>(CommandType.WAIT, new IntegerOutput<>(StringCodec.UTF8), arguments, ticker.nanos());
    }
}
