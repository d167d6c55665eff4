package io.distlock.spring.execution;

import io.distlock.spi.Ticker;
import io.distlock.spring.execution.Executions.Body;
import io.distlock.spring.execution.Executions.Execution;
import io.distlock.spring.execution.NotAcquiredHandler.NotAcquired;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs bodies that return a future. The lock is requested at the call and held until the body's future completes; the
 * caller is not blocked. The body is called on the application's executor, where it may block.
 */
record FutureExecution(EnclosingScope.Resolver scopes, Supplier<Ticker> ticker, BodyExecutor bodies)
        implements Execution {

    /** Completing or cancelling the result from outside ends the wait for the lock, or cancels the body's future. */
    @Override
    public Object run(List<LockTask> tasks, Body body) {
        try {
            Call call = new Call(tasks, body);
            call.proceed(HeldLocks.reachable());
            return call.result;
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** One call. Its steps follow one another, on any threads; each is cancelled with the result. */
    private final class Call {

        private final LockSequence locks;
        private final EnclosingScope scope;
        private final Body body;
        private final BodyExecutor.Turn turn;
        private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

        /** Innermost first. */
        private final Deque<Reference> held = new ArrayDeque<>();

        private volatile CompletionStage<?> step = result;
        private volatile boolean cancelledByLoss;

        Call(List<LockTask> tasks, Body body) {
            this.locks = new LockSequence(tasks, ticker);
            // On the caller's thread: grants arrive on other threads.
            this.scope = scopes.current();
            this.turn = bodies.forCaller();
            this.body = body;
            result.whenComplete((value, failure) -> cancel(step));
        }

        void proceed(HeldLocks held) {
            if (locks.hasNext()) {
                acquireNext(held);
            } else {
                handOver(held);
            }
        }

        private void acquireNext(HeldLocks outer) {
            AsyncAcquisition acquisition = AsyncAcquisition.of(locks.next(), outer);
            // First, as the next step may begin before the line below returns.
            begin(acquisition.references());
            acquisition.whenSettled((references, failure) -> {
                if (references == null) {
                    end(null, failure);
                } else {
                    granted(references, acquisition.cancelsOnLoss(references), outer.with(references));
                }
            });
        }

        private void granted(List<Reference> references, boolean cancelsOnLoss, HeldLocks inside) {
            references.forEach(held::push);
            try {
                locks.granted(references);
                if (cancelsOnLoss) {
                    // Not on the loss thread: dependents of the body's future may block.
                    references.get(0).lock().lost().thenAccept(loss -> {
                        cancelledByLoss = true;
                        cancel(step);
                    });
                }
                if (result.isDone() || cancelledByLoss) {
                    end(null, new CancellationException());
                } else {
                    proceed(inside);
                }
            } catch (Throwable thrown) {
                end(null, thrown);
            }
        }

        /** The body gets its thread, or the call is cancelled, or a lock is lost, or the executor rejects the body. */
        private void handOver(HeldLocks inside) {
            turn.begun().whenComplete((begun, failure) -> {
                if (failure == null) {
                    call(inside);
                } else {
                    end(null, failure);
                }
            });
            begin(turn.begun());
            locks.await(turn);
        }

        private void call(HeldLocks inside) {
            try {
                locks.begin(scope);
                CompletionStage<?> work = future(inside.call(body));
                begin(work);
                work.whenComplete(this::end);
            } catch (Throwable thrown) {
                end(null, thrown);
            }
        }

        /** Remembers what to cancel with the call or on a loss. */
        private void begin(CompletionStage<?> next) {
            step = next;
            if (result.isDone() || cancelledByLoss) {
                cancel(next);
            }
        }

        /** Releases the locks, innermost first, and settles the result. */
        private void end(@Nullable Object value, @Nullable Throwable failure) {
            Reference innermost = held.poll();
            if (innermost == null) {
                settle(value, failure);
                return;
            }
            innermost.closeAsync().whenComplete((closed, loss) -> {
                // A cancellation that only followed the loss gives way to it.
                Throwable own = cancelledByLoss && failure instanceof CancellationException ? null : failure;
                end(value, loss == null ? failure : LossExceptions.joined(own, loss));
            });
        }

        private void settle(@Nullable Object value, @Nullable Throwable failure) {
            if (failure == null) {
                result.complete(value);
            } else if (failure instanceof NotAcquired failed && !result.isDone()) {
                replace(failed);
            } else {
                result.completeExceptionally(failure);
            }
        }

        /** In place of the body, and like it; here, since the call's earlier locks have been released. */
        private void replace(NotAcquired failed) {
            if (!failed.callsApplication()) {
                replaceNow(failed);
                return;
            }
            turn.begun().whenComplete((begun, rejection) -> {
                if (rejection == null) {
                    replaceNow(failed);
                } else {
                    settle(null, rejection);
                }
            });
            result.whenComplete((value, failure) -> cancel(turn.begun()));
            turn.take();
        }

        private void replaceNow(NotAcquired failed) {
            try {
                CompletionStage<?> replacement = future(failed.result());
                result.whenComplete((value, failure) -> cancel(replacement));
                replacement.whenComplete(this::settle);
            } catch (Throwable thrown) {
                settle(null, thrown);
            }
        }

        private static CompletionStage<?> future(@Nullable Object returned) {
            if (returned instanceof CompletionStage<?> stage) {
                return stage;
            }
            throw new IllegalStateException("a locked method returned " + returned + " where a future was expected");
        }

        private static void cancel(CompletionStage<?> step) {
            try {
                step.toCompletableFuture().cancel(true);
            } catch (RuntimeException cannot) {
                // It runs to its end, and the lock is held until then.
            }
        }
    }
}
