package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.spring.context.CallChain;
import io.distlock.spring.context.Hold;
import io.distlock.spring.context.Stay;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a body that is not bound to a thread waits for: its stay under a lock. Given up before it comes, it leaves
 * nothing behind; the grant and the giving up meet in one future, which either completes or is cancelled.
 * Thread-safe.
 */
final class Admission {

    private final CompletableFuture<Stay> stay = new CompletableFuture<>();
    private final Thread caller = Thread.currentThread();
    private final boolean outermost;

    private Admission(boolean outermost) {
        this.outermost = outermost;
    }

    /** Under a lock of the chain that has the key already, or under one that is asked for. Never throws. */
    static Admission to(LockTask task, CallChain chain) {
        Optional<Stay> inside;
        try {
            inside = chain.enter(task.client(), task.request());
        } catch (RuntimeException refusal) {
            Admission refused = new Admission(false);
            refused.stay.completeExceptionally(refusal);
            return refused;
        }
        Admission admission = new Admission(inside.isEmpty());
        inside.ifPresentOrElse(admission.stay::complete, () -> admission.ask(task));
        return admission;
    }

    private void ask(LockTask task) {
        CompletableFuture<HeldLock> acquisition = task.client().acquireAsync(task.request());
        acquisition.whenComplete((lock, failure) -> {
            if (failure != null) {
                stay.completeExceptionally(failure);
            } else {
                Stay first = Hold.begin(task.client(), lock);
                if (!stay.complete(first)) {
                    first.closeAsync();
                }
            }
        });
        stay.whenComplete((granted, failure) -> {
            if (stay.isCancelled()) {
                acquisition.cancel(true);
            }
        });
    }

    /** Fails as an acquisition does. */
    CompletableFuture<Stay> stay() {
        return stay;
    }

    /**
     * Goes on once the lock is there, or is not to be had. A lock may be there before this is asked: the body under it may
     * block nevertheless, and not the caller.
     *
     * @param bodies for that case; where the caller holds the lock already, it goes on itself
     */
    void whenSettled(Executor bodies, BiConsumer<@Nullable Stay, @Nullable Throwable> next) {
        stay.whenComplete((granted, failure) -> {
            if (granted == null || !outermost || Thread.currentThread() != caller) {
                next.accept(granted, failure);
                return;
            }
            try {
                bodies.execute(() -> next.accept(granted, null));
            } catch (RuntimeException | Error refusal) {
                granted.closeAsync();
                next.accept(null, refusal);
            }
        });
    }

    /** Whether the lock was taken for this body and not for one around it. */
    boolean isOutermost() {
        return outermost;
    }

    /** Ends the wait or, if it is over already, the stay. */
    void giveUp() {
        if (!stay.cancel(true)) {
            stay.thenAccept(Stay::closeAsync);
        }
    }

    /** Ends the stay, if there was one; fails with a {@link io.distlock.LockLostException} if the lock was lost. */
    CompletionStage<@Nullable Void> end() {
        return stay.isCompletedExceptionally()
                ? CompletableFuture.completedFuture(null)
                : stay.thenCompose(Stay::closeAsync);
    }

    /** Whether a failure to be admitted is one that {@link Refusal} knows an answer for. */
    static boolean isRefusal(Throwable failure) {
        return failure instanceof LockNotAcquiredException || failure instanceof LockUnavailableException;
    }

    /** Without the wrapping that futures put around what their dependents throw. */
    static Throwable bare(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
