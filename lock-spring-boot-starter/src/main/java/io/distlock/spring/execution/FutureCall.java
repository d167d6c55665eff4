package io.distlock.spring.execution;

import io.distlock.LockException;
import io.distlock.spring.OnLost;
import io.distlock.spring.context.CallChain;
import io.distlock.spring.context.Stay;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One lock of a call whose body returns a future. Its steps follow one another, on whichever threads. */
final class FutureCall {

    /** What is done under the lock: the body, or the call's next lock. */
    @FunctionalInterface
    interface Inside {

        /** Returns a future. */
        @Nullable
        Object start(CallChain chain) throws Throwable;
    }

    private final LockTask task;
    private final CallChain outer;
    private final Grants grants;
    private final Inside inside;
    private final Promise promise = new Promise();
    private volatile boolean cancelledByLoss;

    FutureCall(LockTask task, CallChain outer, Grants grants, Inside inside) {
        this.task = task;
        this.outer = outer;
        this.grants = grants;
        this.inside = inside;
    }

    /** Fails with {@link Refused} if the lock is not granted. */
    CompletableFuture<@Nullable Object> start(Executor bodies) {
        Admission admission = Admission.to(task, outer);
        admission.whenSettled(bodies, (stay, failure) -> {
            if (stay == null) {
                promise.settle(null, refusal(Admission.bare(Objects.requireNonNull(failure))));
            } else if (promise.future().isDone()) {
                stay.closeAsync();
            } else {
                run(stay, admission.isOutermost());
            }
        });
        // Given up by the caller while it waits; later it is the body's future that is cancelled.
        promise.cancelWithThis(admission.stay());
        return promise.future();
    }

    private Throwable refusal(Throwable failure) {
        return Admission.isRefusal(failure) ? new Refused(task, (LockException) failure) : failure;
    }

    private void run(Stay stay, boolean outermost) {
        try {
            if (outermost) {
                grants.add(stay.hold());
            }
            CompletionStage<?> stage = promise.started(inside.start(outer.with(stay.hold())));
            if (outermost && task.onLost() == OnLost.INTERRUPT) {
                stay.lock().onLost(loss -> {
                    cancelledByLoss = true;
                    Promise.cancel(stage);
                });
            }
            stage.whenComplete((value, failure) -> end(stay, value, failure));
        } catch (Throwable thrown) {
            end(stay, null, thrown);
        }
    }

    private void end(Stay stay, @Nullable Object value, @Nullable Throwable failure) {
        stay.closeAsync().whenComplete((left, loss) -> {
            if (loss == null) {
                promise.settle(value, failure);
            } else if (failure == null || (cancelledByLoss && failure instanceof CancellationException)) {
                promise.settle(null, Admission.bare(loss));
            } else {
                Losses.suppress(failure, loss);
                promise.settle(null, failure);
            }
        });
    }
}
