package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockException;
import io.distlock.spring.execution.NotAcquiredHandler.NotAcquired;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The acquisition of a lock for a body that is not bound to a thread. Cancelled before the grant, it leaves nothing
 * behind: grant and cancellation race on one future, which either completes or is cancelled. Thread-safe.
 */
final class AsyncAcquisition {

    private final LockTask task;
    private final CompletableFuture<List<Reference>> references = new CompletableFuture<>();

    private AsyncAcquisition(LockTask task) {
        this.task = task;
    }

    /** References a lock the call already holds, or requests one. Never throws. */
    static AsyncAcquisition of(LockTask task, HeldLocks held) {
        AsyncAcquisition acquisition = new AsyncAcquisition(task);
        try {
            List<Reference> entered = held.reenter(task);
            if (entered.isEmpty()) {
                acquisition.ask();
            } else {
                acquisition.references.complete(entered);
            }
        } catch (RuntimeException refusal) {
            acquisition.references.completeExceptionally(refusal);
        }
        return acquisition;
    }

    private void ask() {
        CompletableFuture<HeldLock> asked = task.client().acquireAsync(task.request());
        asked.whenComplete((lock, failure) -> {
            if (failure != null) {
                references.completeExceptionally(failure);
            } else {
                Reference first = ReferenceCountedLock.first(task, lock);
                if (!references.complete(List.of(first))) {
                    first.closeAsync();
                }
            }
        });
        references.whenComplete((granted, failure) -> {
            if (references.isCancelled()) {
                asked.cancel(true);
            }
        });
    }

    /** Cancelling it ends the wait. */
    CompletableFuture<List<Reference>> references() {
        return references;
    }

    /**
     * Continues once the lock is granted or has failed, with {@link NotAcquired} if a handler takes that. On any thread,
     * which may be the caller's or a driver's: what follows must not block.
     */
    void whenSettled(BiConsumer<@Nullable List<Reference>, @Nullable Throwable> next) {
        references.whenComplete((granted, failure) -> next.accept(granted, granted == null ? reason(failure) : null));
    }

    private Throwable reason(@Nullable Throwable failure) {
        Throwable bare = LossExceptions.bare(Objects.requireNonNull(failure));
        return NotAcquiredHandler.handles(bare) ? new NotAcquired(task, (LockException) bare) : bare;
    }

    /** Whether losing the lock cancels the body: not if the lock was taken for an enclosing call. */
    boolean cancelsOnLoss(List<Reference> granted) {
        return granted.get(0).isOutermost() && task.interruptOnLoss();
    }

    /** Cancels the wait or, if the lock was already granted, releases it. */
    void cancel() {
        if (!references.cancel(true)) {
            close();
        }
    }

    /** Closes the references, if there are any; fails with a {@code LockLostException} if the lock was lost. */
    CompletionStage<@Nullable Void> close() {
        return references.isCompletedExceptionally()
                ? CompletableFuture.completedFuture(null)
                : references.thenCompose(granted -> CompletableFuture.allOf(granted.stream()
                        .map(each -> each.closeAsync().toCompletableFuture())
                        .toArray(CompletableFuture[]::new)));
    }
}
