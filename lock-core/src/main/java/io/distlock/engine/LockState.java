package io.distlock.engine;

import io.distlock.LockLoss;
import io.distlock.Release;
import io.distlock.spi.Moment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The state of a held key. Goes from held to released or to lost, and never back. */
sealed interface LockState {

    /**
     * Believed to be ours, for as long as the lease is valid.
     *
     * @param since validity is counted from here
     * @param renewals how often it has been extended
     */
    record Held(Moment since, int renewals) implements LockState {}

    /**
     * The release is under way; the store has not answered yet.
     *
     * @param since validity was counted from here
     */
    record Releasing(CompletableFuture<Release> outcome, Moment since) implements LockState {}

    record Released(Release outcome) implements LockState {}

    /** Lost before it was released. */
    record Lost(LockLoss loss) implements LockState {}

    /**
     * Notifies of a loss: actions, on the thread that reports it; dependents of the stage, where they may block.
     * Thread-safe.
     *
     * <p>There is one stage for everybody: a copy for each caller would stay attached until the loss comes, which for a
     * lock that is held for days and asked about at each step of the work is a leak.
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
