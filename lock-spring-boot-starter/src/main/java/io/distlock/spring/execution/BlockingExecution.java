package io.distlock.spring.execution;

import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Ticker;
import io.distlock.spring.execution.Executions.Body;
import io.distlock.spring.execution.Executions.Execution;
import io.distlock.spring.execution.NotAcquiredHandler.NotAcquired;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs bodies that are done when they return, on the caller's thread. */
final class BlockingExecution implements Execution {

    private final EnclosingScope.Resolver scopes;
    private final Supplier<Ticker> ticker;

    BlockingExecution(EnclosingScope.Resolver scopes, Supplier<Ticker> ticker) {
        this.scopes = scopes;
        this.ticker = ticker;
    }

    @Override
    public @Nullable Object run(List<LockTask> tasks, Body body) throws Throwable {
        try {
            return underNext(new LockSequence(tasks, ticker), HeldLocks.reachable(), body);
        } catch (NotAcquired failed) {
            // Here, since the call's earlier locks have been released.
            return failed.result();
        }
    }

    /** A loss is thrown on release, or added to the body's exception as suppressed. */
    private @Nullable Object underNext(LockSequence locks, HeldLocks outer, Body body) throws Throwable {
        LockTask task = locks.next();
        Optional<Reference> entered = outer.reenter(task.client(), task.request());
        try (Reference reference = entered.isPresent() ? entered.get() : acquire(task)) {
            locks.granted(reference);
            HeldLocks held = outer.with(reference.target());
            return reference.isOutermost() && task.interruptOnLoss()
                    ? InterruptOnLoss.run(reference.lock(), () -> under(held, locks, body))
                    : under(held, locks, body);
        }
    }

    /** Only the acquisition: an exception of the body must not be taken for a failed acquisition, or vice versa. */
    private static Reference acquire(LockTask task) {
        try {
            return ReferenceCountedLock.first(task.client(), task.client().acquire(task.request()));
        } catch (LockNotAcquiredException | LockUnavailableException why) {
            throw new NotAcquired(task, why);
        }
    }

    private @Nullable Object under(HeldLocks held, LockSequence locks, Body body) throws Throwable {
        if (locks.hasNext()) {
            return underNext(locks, held, body);
        }
        locks.keepIn(scopes.current());
        return held.call(body);
    }
}
