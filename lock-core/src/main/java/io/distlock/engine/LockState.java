package io.distlock.engine;

import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.Release;
import io.distlock.spi.Moment;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/** The state of a held key: held, then released or lost for good. */
sealed interface LockState {

    default void throwIfLost() {
        if (this instanceof Lost gone) {
            throw new LockLostException(gone.loss());
        }
    }

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
    record Released(CompletableFuture<Release> outcome, Held last) implements LockState {

        /** After expiry the answer proves nothing: the key was ours during the work, and has expired since. */
        Release judged(Release answer, Ticker ticker, Duration lockDelay) {
            boolean tooLate = last.leftNanos(ticker) + lockDelay.toNanos() <= 0;
            return answer == Release.NOT_OWNER && tooLate ? Release.UNKNOWN : answer;
        }
    }

    record Lost(LockLoss loss) implements LockState {

        /**
         * Once the holder knows of its loss, others need not wait for the time to live, unless a lock-delay requires it, or the
         * client is closing and the holder may still be working.
         */
        boolean mayBeDeleted(Duration lockDelay) {
            return lockDelay.isZero()
                    && (loss.reason() == LockLoss.Reason.EXPIRED || loss.reason() == LockLoss.Reason.MAX_HOLD_TIME);
        }

        void writeTo(Logger log) {
            // Closing a client may end thousands of locks, and one warning covers them all.
            log.atLevel(loss.reason() == LockLoss.Reason.CLIENT_CLOSED ? Level.DEBUG : Level.WARN)
                    .addKeyValue("lock", loss.key().name())
                    .addKeyValue("key", loss.key().key().orElse(""))
                    .addKeyValue("token", loss.token().value())
                    .addKeyValue("heldMillis", loss.heldFor().toMillis())
                    .addKeyValue("sinceRenewalMillis", loss.sinceRenewal().toMillis())
                    .addKeyValue("reason", loss.reason())
                    .log(
                            "Lost lock '{}' (token {}) after {} ms, {} ms after the last request that the store"
                                    + " confirmed: {}",
                            loss.key(),
                            loss.token(),
                            loss.heldFor().toMillis(),
                            loss.sinceRenewal().toMillis(),
                            loss.reason().explanation());
        }
    }

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
