package io.distlock.spring.execution;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The future of something that is done in steps, and that is cancelled with it. Thread-safe. */
final class Promise {

    private final CompletableFuture<@Nullable Object> future = new CompletableFuture<>();

    CompletableFuture<@Nullable Object> future() {
        return future;
    }

    /** The future that a body or its replacement returned, which is cancelled with this one. */
    CompletionStage<?> started(@Nullable Object returned) {
        if (!(returned instanceof CompletionStage<?> stage)) {
            throw new IllegalStateException("a locked method returned " + returned + " where a future was expected");
        }
        cancelWithThis(stage);
        return stage;
    }

    void cancelWithThis(CompletionStage<?> stage) {
        future.whenComplete((value, failure) -> cancel(stage));
    }

    static void cancel(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (UnsupportedOperationException cannot) {
            // It runs to its end, and the lock is held until then.
        }
    }

    void settle(@Nullable Object value, @Nullable Throwable failure) {
        if (failure == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(failure);
        }
    }
}
