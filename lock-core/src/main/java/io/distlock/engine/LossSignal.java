package io.distlock.engine;

import io.distlock.LockLoss;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The news that a lock was lost, for all who want it: for actions, where the news arises; for those who depend on the stage,
 * where they may block. Thread-safe.
 *
 * <p>There is one stage for everybody: a copy for each who asks would hang on to the news until it comes, which for a
 * lock that is held for days and asked about at each step of the work is a leak.
 */
final class LossSignal {

    private final CompletableFuture<LockLoss> news = new CompletableFuture<>();
    private final Executor callbacks;
    private @Nullable CompletionStage<LockLoss> stage;

    LossSignal(Executor callbacks) {
        this.callbacks = callbacks;
    }

    /** Told more than once, only the first time counts. */
    void tell(LockLoss loss) {
        news.complete(loss);
    }

    void onLost(Consumer<LockLoss> action) {
        news.thenAccept(action);
    }

    /** Cannot be completed from outside. */
    synchronized CompletionStage<LockLoss> stage() {
        if (stage == null) {
            stage = news.minimalCompletionStage().thenApplyAsync(loss -> loss, callbacks);
        }
        return stage;
    }
}
