package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockException;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.spring.execution.Execution.Body;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import io.distlock.support.Futures;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call whose body is not bound to the caller's thread: takes its locks one after another, then a thread of the
 * application's executor. Cancelled before that, it leaves nothing behind: grant and cancellation race on one future,
 * which either completes or is cancelled. Thread-safe.
 */
final class AsyncCall {

    private final LockSequence locks;
    private final Body body;
    private final BodyExecutor bodies;
    private final Function<List<ReferenceCountedLock>, CompletableFuture<Void>> fence;
    private final Thread caller = Thread.currentThread();
    private final Runnable task;

    private final CompletableFuture<Work> begun = new CompletableFuture<>();
    private final CompletableFuture<Boolean> over = new CompletableFuture<>();
    private final CompletableFuture<LockLoss> loss = new CompletableFuture<>();

    /** Innermost first. */
    private final Deque<Reference> held = new ConcurrentLinkedDeque<>();

    // Written before the task is submitted.
    private @Nullable HeldLocks around;
    private @Nullable Work work;
    private @Nullable BiConsumer<@Nullable Work, @Nullable Throwable> continuation;
    private volatile boolean stopped;

    /**
     * What to do on the executor's thread: call the body, or what replaces it if a lock was not acquired.
     *
     * @param inside what it runs under; for a replacement, what the calls around this one hold
     */
    record Work(HeldLocks inside, Body body) {}

    /**
     * Captures the context of the calling thread: locks are granted on other threads.
     *
     * @param fence shows the locks, before the body, to resources that refuse stale holders
     */
    AsyncCall(
            LockSequence locks,
            Body body,
            BodyExecutor bodies,
            Function<List<ReferenceCountedLock>, CompletableFuture<Void>> fence) {
        this.locks = locks;
        this.body = body;
        this.bodies = bodies;
        this.fence = fence;
        this.task = bodies.decorated(() -> begin(Objects.requireNonNull(work)));
    }

    /** Cancelling it ends the wait for a lock or for a thread. */
    CompletableFuture<Work> begun() {
        return begun;
    }

    /** Completes if the loss of a lock is to cancel the call. Not on the thread for losses: what is cancelled may block. */
    CompletableFuture<LockLoss> loss() {
        return loss;
    }

    boolean isLost() {
        return loss.isDone() && !loss.isCancelled();
    }

    /** Goes on with the work on the executor's thread, or with the reason why there is none on any thread. */
    void start(EnclosingScope scope, HeldLocks outer, BiConsumer<@Nullable Work, @Nullable Throwable> next) {
        around = outer;
        continuation = next;
        begun.whenComplete((ready, failure) -> {
            if (failure != null) {
                goOn(null, failure);
            }
        });
        takeNext(scope, outer);
    }

    /** On this thread: whoever cancels it too late might run a dependent of the future. */
    private void begin(Work ready) {
        if (begun.complete(ready)) {
            goOn(ready, null);
        }
    }

    private void goOn(@Nullable Work ready, @Nullable Throwable failure) {
        try {
            Objects.requireNonNull(continuation).accept(ready, failure);
        } finally {
            over.complete(true);
        }
    }

    private void takeNext(EnclosingScope scope, HeldLocks outer) {
        try {
            if (!locks.hasNext()) {
                // The fence would also refuse a lost lock, but not say that it was lost.
                locks.ensureHeld();
                // The executor may take long, so the call also ends if one of its own locks is lost.
                locks.onLoss(lost -> begun.completeExceptionally(new LockLostException(lost)));
                Work whole = new Work(outer, () -> {
                    locks.begin(scope);
                    return outer.call(body);
                });
                CompletableFuture<Void> fenced = fence.apply(locks.taken());
                begun.whenComplete((ready, failure) -> fenced.cancel(true));
                // If not here, on a driver's thread.
                boolean isHere = fenced.isDone();
                fenced.whenComplete((accepted, refusal) -> {
                    if (refusal == null) {
                        takeThread(whole, isHere);
                    } else {
                        begun.completeExceptionally(refusal);
                    }
                });
                return;
            }
            LockTask next = locks.next();
            List<Reference> entered = outer.reenter(next);
            if (!entered.isEmpty()) {
                granted(entered, scope, outer);
                return;
            }
            CompletableFuture<HeldLock> asked = next.client().acquireAsync(next.request());
            begun.whenComplete((ready, failure) -> asked.cancel(true));
            asked.whenComplete((lock, failure) -> {
                if (failure == null) {
                    Reference first = ReferenceCountedLock.first(next, lock);
                    if (next.policy().interruptOnLoss()) {
                        lock.lost().thenAccept(loss::complete);
                    }
                    granted(List.of(first), scope, outer);
                } else {
                    refused(next.notAcquired(), Futures.cause(failure));
                }
            });
        } catch (RuntimeException | Error refusal) {
            begun.completeExceptionally(refusal);
        }
    }

    private void granted(List<Reference> references, EnclosingScope scope, HeldLocks outer) {
        references.forEach(held::push);
        HeldLocks inside = locks.granted(references, outer);
        if (begun.isDone()) {
            // Cancelled in the instant of the grant.
            references.stream().filter(held::remove).forEach(Reference::closeAsync);
        } else {
            takeNext(scope, inside);
        }
    }

    /** Replaced once the call's earlier locks have been released. Their loss no longer counts, as the body has not run. */
    private void refused(NotAcquiredHandler handler, Throwable failure) {
        if (!NotAcquiredHandler.handles(failure) || !loss.cancel(true)) {
            begun.completeExceptionally(failure);
            return;
        }
        HeldLocks outer = Objects.requireNonNull(around);
        Work replacement = new Work(outer, () -> outer.call(() -> handler.handle((LockException) failure)));
        close(null, ignored -> {
            if (handler instanceof NotAcquiredHandler.Immediate) {
                begin(replacement);
            } else {
                takeThread(replacement, true);
            }
        });
    }

    private void takeThread(Work taking, boolean mayBlock) {
        work = taking;
        bodies.execute(mayBlock && Thread.currentThread() != caller, task, begun::completeExceptionally);
    }

    /** Unless it has begun, the body does not run. Completed when the locks may end, which is after it in any case. */
    CompletableFuture<Boolean> stop() {
        stopped = true;
        return begun.cancel(true) ? CompletableFuture.completedFuture(true) : over;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Releases the locks, innermost first, then reports the failure, to which losses are added. */
    void close(@Nullable Throwable failure, Consumer<@Nullable Throwable> report) {
        Reference innermost = held.poll();
        if (innermost == null) {
            // Also of a lock that was granted, and closed, while the call ended for its loss.
            report.accept(isLost() ? LossExceptions.joined(failure, new LockLostException(loss.join())) : failure);
            return;
        }
        innermost
                .closeAsync()
                .whenComplete(
                        (closed, lost) -> close(lost == null ? failure : LossExceptions.joined(failure, lost), report));
    }
}
