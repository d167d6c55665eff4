package io.distlock.engine;

import io.distlock.LockLoss;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The news that a lock was lost, for all who want it. Thread-safe.
 *
 * <p>There is one stage for everybody: a copy for each who asks would hang on to the news until it comes, which for a
 * lock that is held for days and asked about at each step of the work is a leak.
 */
final class LossSignal {

    private final CompletableFuture<LockLoss> news = new CompletableFuture<>();
    // Cannot be completed from outside.
    private final CompletionStage<LockLoss> stage = news.minimalCompletionStage();

    /** Told more than once, only the first time counts. */
    void tell(LockLoss loss) {
        news.complete(loss);
    }

    CompletionStage<LockLoss> stage() {
        return stage;
    }
}
