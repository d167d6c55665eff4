package io.distlock.support;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Puts a time limit on calls in flight, with one timer for all of them: a call that is answered in time costs no
 * timer of its own. Thread-safe.
 */
public final class Timeouts {

    /** By so much a busy machine may be late. */
    private static final long USUAL_LATENESS_MILLIS = 500;

    private final Ticker ticker;
    private final DueSet<Call<?>> calls;

    Timeouts(Ticker ticker, LockScheduler scheduler) {
        this.ticker = ticker;
        this.calls = new DueSet<>(ticker, scheduler, due -> due.forEach(Call::expire));
    }

    /**
     * A future that ends as the stage ends, or with a {@link TimeoutException} once the limit has passed. What the
     * stage does later is ignored; whoever needs to know looks at the stage itself.
     */
    public <T extends @Nullable Object> CompletableFuture<T> within(Duration limit, CompletionStage<T> stage) {
        if (stage instanceof CompletableFuture<T> future && future.isDone()) {
            return future;
        }
        Call<T> call = new Call<>(ticker.nanos() + limit.toNanos(), limit);
        calls.add(call);
        stage.whenComplete((answer, failure) -> {
            calls.remove(call);
            if (failure == null) {
                call.complete(answer);
            } else {
                call.completeExceptionally(failure);
            }
        });
        return call;
    }

    /**
     * For the message about a limit that has passed: that this process stood still, if it noticed so late that the store may
     * have answered. Nothing otherwise.
     */
    public String lateness(long limitNanos) {
        long millis = (ticker.nanos() - limitNanos) / 1_000_000;
        return millis < USUAL_LATENESS_MILLIS
                ? ""
                : "; this process stood still, or was too busy to look, for " + millis + " ms";
    }

    private final class Call<T extends @Nullable Object> extends CompletableFuture<T> implements DueSet.Due {

        private final long due;
        private final Duration limit;

        Call(long due, Duration limit) {
            this.due = due;
            this.limit = limit;
        }

        @Override
        public long dueNanos() {
            return due;
        }

        void expire() {
            calls.remove(this);
            completeExceptionally(new TimeoutException("no answer within " + limit.toMillis() + " ms" + lateness(due)));
        }
    }
}
