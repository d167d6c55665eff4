package io.distlock.spring.execution;

import io.distlock.spi.Ticker;
import io.distlock.spring.execution.Execution.Body;
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
            Call call = new Call(new AsyncCall(
                    new LockSequence(tasks, ticker), body, bodies, locks -> CompletableFuture.completedFuture(null)));
            // On the caller's thread: grants arrive on other threads.
            call.locks.start(scopes.current(), HeldLocks.reachable().aroundNewCall(List.of()), call::begin);
            return call.result;
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** One call. Its steps follow one another, on any threads; each is cancelled with the result. */
    private static final class Call {

        private final AsyncCall locks;
        private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        private volatile CompletionStage<?> step;
        private volatile boolean cancelledByLoss;

        Call(AsyncCall locks) {
            this.locks = locks;
            this.step = locks.begun();
            result.whenComplete((value, failure) -> cancel(step));
            locks.loss().thenAccept(loss -> {
                cancelledByLoss = true;
                cancel(step);
            });
        }

        private void begin(AsyncCall.@Nullable Work work, @Nullable Throwable failure) {
            if (work == null) {
                end(null, failure);
                return;
            }
            try {
                Object returned = work.body().run();
                if (!(returned instanceof CompletionStage<?> stage)) {
                    throw new IllegalStateException(
                            "a locked method returned " + returned + " where a future was expected");
                }
                step = stage;
                if (result.isDone() || cancelledByLoss) {
                    cancel(stage);
                }
                stage.whenComplete(this::end);
            } catch (Throwable thrown) {
                end(null, thrown);
            }
        }

        private void end(@Nullable Object value, @Nullable Throwable failure) {
            // A cancellation that only followed the loss gives way to it.
            Throwable own = cancelledByLoss && failure instanceof CancellationException ? null : failure;
            locks.close(own, joined -> {
                Throwable reason = joined == null ? failure : joined;
                if (reason == null) {
                    result.complete(value);
                } else {
                    result.completeExceptionally(reason);
                }
            });
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
