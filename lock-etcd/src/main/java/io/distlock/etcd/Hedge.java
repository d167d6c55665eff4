package io.distlock.etcd;

import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Asks another member when one does not answer soon: a frozen one keeps its connection, and its share of the calls, for
 * seconds. For reads and keepalives, which may be carried out twice. Thread-safe.
 */
final class Hedge {

    private final Timeouts timeouts;
    private final Duration patience;

    /**
     * @param patience how soon
     */
    Hedge(Timeouts timeouts, Duration patience) {
        this.timeouts = timeouts;
        this.patience = patience;
    }

    /** The first answer to come. */
    <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<T> first = call.get();
        timeouts.within(patience, first).whenComplete((answer, failure) -> {
            if (failure == null) {
                result.complete(answer);
            } else if (first.isCompletedExceptionally()) {
                result.completeExceptionally(failure);
            } else {
                both(first, call.get(), result);
            }
        });
        return result;
    }

    private static <T> void both(CompletableFuture<T> first, CompletableFuture<T> second, CompletableFuture<T> result) {
        first.thenAccept(result::complete);
        second.thenAccept(result::complete);
        CompletableFuture.allOf(first, second).whenComplete((done, failure) -> {
            if (failure != null && first.isCompletedExceptionally() && second.isCompletedExceptionally()) {
                result.completeExceptionally(failure);
            }
        });
    }
}
