package io.distlock.engine;

import io.distlock.LockLoss;
import io.distlock.Release;
import io.distlock.spi.Moment;
import io.distlock.spi.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The state of a held key: held, then released or lost for good. */
sealed interface LockState {

    /** Held while the lease is valid: for {@code validNanos} from {@code sinceNanos}. */
    record Held(long sinceNanos, long sinceMillis, long validNanos, int renewals) implements LockState {

        static Held since(Moment since, long validNanos, int renewals) {
            return new Held(since.nanos(), since.wallMillis(), validNanos, renewals);
        }

        long endNanos() {
            return sinceNanos + validNanos;
        }

        long elapsedNanos(Ticker ticker) {
            return new Moment(sinceNanos, sinceMillis).elapsedNanos(ticker);
        }

        /** Time left; negative once it is over. */
        long leftNanos(Ticker ticker) {
            return validNanos - elapsedNanos(ticker);
        }
    }

    /** No longer held by its user; the outcome follows with the store's answer. It was last held like this. */
    record Released(CompletableFuture<Release> outcome, Held last) implements LockState {}

    record Lost(LockLoss loss) implements LockState {}

    /**
     * Reports a loss: to actions on the announcing thread, to dependents of the stage where they may block. All callers share
     * one stage: a copy for each would be a leak if a lock is held for days and checked at each step. Thread-safe.
     */
    final class LossSignal {

        private final CompletableFuture<LockLoss> lost = new CompletableFuture<>();
        private final Executor callbacks;
        private @Nullable CompletionStage<LockLoss> stage;

        LossSignal(Executor callbacks) {
            this.callbacks = callbacks;
        }

        /** Only the first call counts. */
        void fire(LockLoss loss) {
            lost.complete(loss);
        }

        void onLost(Consumer<LockLoss> action) {
            lost.thenAccept(action);
        }

        /** Cannot be completed from outside. */
        synchronized CompletionStage<LockLoss> stage() {
            if (stage == null) {
                stage = lost.minimalCompletionStage().thenApplyAsync(loss -> loss, callbacks);
            }
            return stage;
        }
    }
}
