package io.distlock.support;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Times out calls, with one timer for all: a call that is answered in time costs no timer. Thread-safe.
 */
public final class Timeouts {

    /** A busy machine may be this late. */
    private static final long USUAL_LATENESS_MILLIS = 500;

    private final Ticker ticker;
    private final DueSet<Call<?>> calls;

    Timeouts(Ticker ticker, LockScheduler scheduler) {
        this.ticker = ticker;
        this.calls = new DueSet<>(ticker, scheduler, due -> due.forEach(Call::expire));
    }

    /**
     * A future that completes as the stage does, or with a {@link TimeoutException} once the limit has passed. A later
     * completion is ignored.
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
     * For a timeout message: says that this process was paused, if it noticed so late that the
     * store may have answered. Otherwise empty.
     */
    public String lateness(long limitNanos) {
        long millis = (ticker.nanos() - limitNanos) / 1_000_000;
        return millis < USUAL_LATENESS_MILLIS
                ? ""
                : "; this process was paused, or too busy to notice, for " + millis + " ms";
    }

    /** For closing: waits for the future up to the limit or an interrupt, whose flag is kept. */
    public static void await(CompletableFuture<?> end, Duration limit) {
        try {
            end.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException notInTime) {
            // The rest is declared lost, or expires.
        }
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
