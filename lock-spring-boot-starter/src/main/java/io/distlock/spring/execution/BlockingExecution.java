package io.distlock.spring.execution;

import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Ticker;
import io.distlock.spring.execution.Execution.Body;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** Runs bodies that are done when they return, on the caller's thread. */
final class BlockingExecution implements Execution {

    private static final Logger log = LoggerFactory.getLogger(BlockingExecution.class);

    private static final boolean REACTOR_PRESENT =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", BlockingExecution.class.getClassLoader());

    private final AtomicBoolean warned = new AtomicBoolean();
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
            return failed.handler.handle(failed.why);
        }
    }

    private @Nullable Object underNext(LockSequence locks, HeldLocks outer, Body body) throws Throwable {
        LockTask task = locks.next();
        List<Reference> entered = outer.reenter(task);
        List<Reference> references = entered.isEmpty() ? List.of(acquire(task)) : entered;
        Object result = null;
        Throwable failure = null;
        try {
            HeldLocks held = locks.granted(references, outer);
            result = entered.isEmpty() && task.policy().interruptOnLoss()
                    ? InterruptOnLoss.run(references.get(0).lock(), () -> under(held, locks, body))
                    : under(held, locks, body);
        } catch (Throwable ofTheBody) {
            failure = ofTheBody;
        }
        for (int at = 0; at < references.size(); at++) {
            try {
                references.get(at).close();
            } catch (LockException | IllegalStateException loss) {
                failure = LossExceptions.joined(failure, loss);
            }
        }
        if (failure != null) {
            throw failure;
        }
        return result;
    }

    /** Only the acquisition: an exception of the body must not be taken for a failed acquisition, or vice versa. */
    private Reference acquire(LockTask task) {
        if (REACTOR_PRESENT && !warned.get() && Schedulers.isInNonBlockingThread() && !warned.getAndSet(true)) {
            warn(task.request().keys());
        }
        try {
            return ReferenceCountedLock.first(task, task.client().acquire(task.request()));
        } catch (LockNotAcquiredException | LockUnavailableException why) {
            throw new NotAcquired(task, why);
        }
    }

    private static void warn(List<LockKey> keys) {
        log.warn(
                "The lock {} is taken by a blocking call on the thread '{}', which must not block: it serves other"
                        + " requests. Return a Mono, a Flux or a CompletableFuture from the locked method, or call it"
                        + " on Schedulers.boundedElastic(). Further calls like this are not logged",
                keys,
                Thread.currentThread().getName());
    }

    private @Nullable Object under(HeldLocks held, LockSequence locks, Body body) throws Throwable {
        if (locks.hasNext()) {
            return underNext(locks, held, body);
        }
        locks.begin(scopes.current());
        return held.call(body);
    }

    /**
     * Carries one lock's failure out to where the call's earlier locks have been released; callers never see it.
     * Has no suppressed exceptions: the loss of an earlier lock is irrelevant, as the body has not run.
     */
    private static final class NotAcquired extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient NotAcquiredHandler handler;
        private final LockException why;

        NotAcquired(LockTask task, LockException why) {
            super(why.getMessage(), why, false, false);
            this.handler = task.notAcquired();
            this.why = why;
        }
    }
}
