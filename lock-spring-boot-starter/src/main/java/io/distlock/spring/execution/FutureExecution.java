package io.distlock.spring.execution;

import io.distlock.LockException;
import io.distlock.spi.Ticker;
import io.distlock.spring.execution.EnclosingScope.Grants;
import io.distlock.spring.execution.NotAcquiredHandler.NotAcquired;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs bodies that return a future. The lock is requested at the call and held until the body's future completes; the
 * caller is not blocked. The body is called on a thread of the lock client, or one like it, on which it may block.
 */
final class FutureExecution implements Execution {

    private final EnclosingScope.Resolver scopes;
    private final Supplier<Ticker> ticker;
    private final Executor bodies;

    FutureExecution(EnclosingScope.Resolver scopes, Supplier<Ticker> ticker, Executor bodies) {
        this.scopes = scopes;
        this.ticker = ticker;
        this.bodies = bodies;
    }

    /**
     * The future of the body, or of its replacement. Completing or cancelling it from outside ends the wait for the
     * lock or cancels the body's future.
     */
    @Override
    public CompletableFuture<@Nullable Object> run(List<LockTask> tasks, Execution.Body body) {
        // Resolved on the thread of the caller: the grants come on other threads.
        EnclosingScope scope = scopes.current();
        Grants grants = new Grants();
        return answered(under(tasks, CallContext.reachable(), grants, held -> {
            grants.keepIn(scope);
            return CallContext.under(held, body);
        }));
    }

    private CompletableFuture<@Nullable Object> under(
            List<LockTask> tasks, HeldLocks outer, Grants grants, Inside body) {
        Supplier<List<LockTask>> others = LockTask.afterFirst(tasks, ticker);
        return new Call(tasks.get(0), outer, grants, held -> {
                    List<LockTask> left = others.get();
                    return left.isEmpty() ? body.start(held) : under(left, held, grants, body);
                })
                .start(bodies);
    }

    /** Handles a failed acquisition here, where the earlier locks of the call have been released. */
    private static CompletableFuture<@Nullable Object> answered(CompletableFuture<@Nullable Object> locked) {
        Promise promise = new Promise();
        locked.whenComplete((value, failure) -> {
            if (failure instanceof NotAcquired failed) {
                answer(failed, promise);
            } else {
                promise.settle(value, failure);
            }
        });
        promise.cancelWithThis(locked);
        return promise.future();
    }

    private static void answer(NotAcquired failed, Promise promise) {
        try {
            promise.started(failed.result()).whenComplete(promise::settle);
        } catch (Throwable thrown) {
            promise.settle(null, thrown);
        }
    }

    /** What is done under the lock: the body, or the call's next lock. */
    @FunctionalInterface
    interface Inside {

        /** Returns a future. */
        @Nullable
        Object start(HeldLocks held) throws Throwable;
    }

    /** One lock of a call. Its steps follow one another, on whichever threads. */
    private static final class Call {

        private final LockTask task;
        private final HeldLocks outer;
        private final Grants grants;
        private final Inside inside;
        private final Promise promise = new Promise();
        private volatile boolean cancelledByLoss;

        Call(LockTask task, HeldLocks outer, Grants grants, Inside inside) {
            this.task = task;
            this.outer = outer;
            this.grants = grants;
            this.inside = inside;
        }

        /** Fails with {@link NotAcquired} if the lock is not acquired. */
        CompletableFuture<@Nullable Object> start(Executor bodies) {
            AsyncAcquisition acquisition = AsyncAcquisition.of(task, outer);
            acquisition.whenSettled(bodies, (reference, failure) -> {
                if (reference == null) {
                    promise.settle(null, handled(AsyncAcquisition.bare(Objects.requireNonNull(failure))));
                } else if (promise.future().isDone()) {
                    reference.closeAsync();
                } else {
                    run(reference, acquisition.isOutermost());
                }
            });
            // Cancelled by the caller during the wait; later, the future of the body is cancelled.
            promise.cancelWithThis(acquisition.reference());
            return promise.future();
        }

        private Throwable handled(Throwable failure) {
            return NotAcquiredHandler.handles(failure) ? new NotAcquired(task, (LockException) failure) : failure;
        }

        private void run(Reference reference, boolean outermost) {
            try {
                if (outermost) {
                    grants.add(reference.target());
                }
                CompletionStage<?> stage = promise.started(inside.start(outer.with(reference.target())));
                if (outermost && task.interruptOnLoss()) {
                    // Not on the thread for losses: what depends on the body's future may block.
                    reference.lock().lost().thenAccept(loss -> {
                        cancelledByLoss = true;
                        Promise.cancel(stage);
                    });
                }
                stage.whenComplete((value, failure) -> end(reference, value, failure));
            } catch (Throwable thrown) {
                end(reference, null, thrown);
            }
        }

        private void end(Reference reference, @Nullable Object value, @Nullable Throwable failure) {
            reference.closeAsync().whenComplete((left, loss) -> {
                if (loss == null) {
                    promise.settle(value, failure);
                } else if (failure == null || (cancelledByLoss && failure instanceof CancellationException)) {
                    promise.settle(null, AsyncAcquisition.bare(loss));
                } else {
                    AsyncAcquisition.suppressLoss(failure, loss);
                    promise.settle(null, failure);
                }
            });
        }
    }

    /** The future of a call that is done in steps, each of which is cancelled with it. Thread-safe. */
    private static final class Promise {

        private final CompletableFuture<@Nullable Object> future = new CompletableFuture<>();

        CompletableFuture<@Nullable Object> future() {
            return future;
        }

        /** The future that a body or its replacement returned, which is cancelled with this one. */
        CompletionStage<?> started(@Nullable Object returned) {
            if (!(returned instanceof CompletionStage<?> stage)) {
                throw new IllegalStateException(
                        "a locked method returned " + returned + " where a future was expected");
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
}
