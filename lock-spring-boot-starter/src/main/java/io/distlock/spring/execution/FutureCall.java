package io.distlock.spring.execution;

import io.distlock.LockException;
import io.distlock.spring.OnLost;
import io.distlock.spring.context.CallChain;
import io.distlock.spring.context.CallContext;
import io.distlock.spring.context.OuterScope;
import io.distlock.spring.context.Stay;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One call of a body that returns a future. Its steps follow one another, on whichever threads. */
final class FutureCall {

    private final LockTask task;
    private final CallChain outer;
    private final OuterScope scope;
    private final CallContext.Body body;
    private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
    private volatile boolean cancelledByLoss;

    FutureCall(LockTask task, CallChain outer, OuterScope scope, CallContext.Body body) {
        this.task = task;
        this.outer = outer;
        this.scope = scope;
        this.body = body;
    }

    CompletableFuture<@Nullable Object> start() {
        Admission admission = Admission.to(task, outer);
        admission.stay().whenComplete((stay, failure) -> {
            if (failure != null) {
                refuse(Admission.bare(failure));
            } else if (result.isDone()) {
                stay.closeAsync();
            } else {
                run(stay, admission.isOutermost());
            }
        });
        // Given up by the caller while it waits; later it is the body's future that is cancelled.
        result.whenComplete((value, failure) -> admission.stay().cancel(true));
        return result;
    }

    private void refuse(Throwable failure) {
        if (!Admission.isRefusal(failure)) {
            result.completeExceptionally(failure);
            return;
        }
        try {
            started(task.refusal().answer((LockException) failure)).whenComplete(this::settle);
        } catch (Throwable thrown) {
            result.completeExceptionally(thrown);
        }
    }

    private void run(Stay stay, boolean outermost) {
        try {
            if (outermost) {
                scope.keep(stay.hold());
            }
            CompletionStage<?> stage = started(CallContext.under(outer.with(stay.hold()), body));
            if (outermost && task.onLost() == OnLost.INTERRUPT) {
                stay.lock().onLost(loss -> {
                    cancelledByLoss = true;
                    cancel(stage);
                });
            }
            stage.whenComplete((value, failure) -> end(stay, value, failure));
        } catch (Throwable thrown) {
            end(stay, null, thrown);
        }
    }

    /** The future to wait for, which is cancelled with the result. */
    private CompletionStage<?> started(@Nullable Object returned) {
        if (!(returned instanceof CompletionStage<?> stage)) {
            throw new IllegalStateException("a locked method returned " + returned + " where a future was expected");
        }
        result.whenComplete((value, failure) -> cancel(stage));
        return stage;
    }

    private static void cancel(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (UnsupportedOperationException cannot) {
            // It runs to its end, and the lock is held until then.
        }
    }

    private void end(Stay stay, @Nullable Object value, @Nullable Throwable failure) {
        stay.closeAsync().whenComplete((left, loss) -> {
            if (loss == null) {
                settle(value, failure);
            } else if (failure == null || (cancelledByLoss && failure instanceof CancellationException)) {
                settle(null, Admission.bare(loss));
            } else {
                Losses.suppress(failure, loss);
                settle(null, failure);
            }
        });
    }

    private void settle(@Nullable Object value, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }
}
