package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Ticker;
import io.distlock.spring.execution.EnclosingScope.Grants;
import io.distlock.spring.execution.NotAcquiredHandler.NotAcquired;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs bodies that are done when they return, on the thread of the caller. */
final class BlockingExecution implements Execution {

    private final EnclosingScope.Resolver scopes;
    private final Supplier<Ticker> ticker;

    BlockingExecution(EnclosingScope.Resolver scopes, Supplier<Ticker> ticker) {
        this.scopes = scopes;
        this.ticker = ticker;
    }

    @Override
    public @Nullable Object run(List<LockTask> tasks, Execution.Body body) throws Throwable {
        try {
            return under(tasks, new Grants(), body);
        } catch (NotAcquired failed) {
            // Here, where the earlier locks of the call have been released.
            return failed.result();
        }
    }

    private @Nullable Object under(List<LockTask> tasks, Grants grants, Execution.Body body) throws Throwable {
        Supplier<List<LockTask>> others = LockTask.afterFirst(tasks, ticker);
        return under(tasks.get(0), grants, () -> {
            List<LockTask> left = others.get();
            if (!left.isEmpty()) {
                return under(left, grants, body);
            }
            grants.keepIn(scopes.current());
            return body.run();
        });
    }

    private @Nullable Object under(LockTask task, Grants grants, Execution.Body inside) throws Throwable {
        HeldLocks held = CallContext.reachable();
        Optional<Reference> entered = held.reenter(task.client(), task.request());
        if (entered.isPresent()) {
            return within(entered.get(), held, inside);
        }
        HeldLock lock = acquire(task);
        Reference reference = ReferenceCountedLock.first(task.client(), lock);
        grants.add(reference.target());
        return within(reference, held, task.interruptOnLoss() ? () -> InterruptOnLoss.run(lock, inside) : inside);
    }

    /** The acquisition alone: an exception of the body must not be taken for a failed acquisition, nor the reverse. */
    private static HeldLock acquire(LockTask task) {
        try {
            return task.client().acquire(task.request());
        } catch (LockNotAcquiredException | LockUnavailableException why) {
            throw new NotAcquired(task, why);
        }
    }

    /** Closes the reference; a loss is thrown, or suppressed into the exception of the body. */
    private static @Nullable Object within(Reference reference, HeldLocks outer, Execution.Body body) throws Throwable {
        try (reference) {
            return CallContext.under(outer.with(reference.target()), body);
        }
    }
}
