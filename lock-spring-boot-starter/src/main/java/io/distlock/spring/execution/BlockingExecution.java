package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockException;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Ticker;
import io.distlock.spring.execution.Executions.Body;
import io.distlock.spring.execution.Executions.Execution;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
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
            result = entered.isEmpty() && task.interruptOnLoss()
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

    /**
     * Interrupts the thread that runs a body when the lock is lost, but not after the body ends. The loss and
     * the end of the body race on one compare-and-set: the first one wins, and the body's thread waits for a
     * pending interrupt before it continues, so that it can clear the flag.
     */
    static final class InterruptOnLoss {

        private enum State {
            RUNNING,
            INTERRUPTING,
            INTERRUPTED,
            OVER
        }

        private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
        private final Thread thread = Thread.currentThread();

        // Written before INTERRUPTED, read after it.
        private @Nullable LockLoss loss;
        private boolean interruptedByOthers;

        private InterruptOnLoss() {}

        static @Nullable Object run(HeldLock lock, Body body) throws Throwable {
            InterruptOnLoss watch = new InterruptOnLoss();
            lock.onLost(watch::interrupt);
            try {
                return body.run();
            } catch (InterruptedException | LockInterruptedException obedience) {
                // The latter if the body, or one of its calls, was waiting for another lock.
                LockLoss loss = watch.end();
                if (loss == null) {
                    throw obedience;
                }
                LockLostException lost = new LockLostException(loss);
                lost.addSuppressed(obedience);
                throw lost;
            } finally {
                watch.end();
            }
        }

        private void interrupt(LockLoss news) {
            if (state.compareAndSet(State.RUNNING, State.INTERRUPTING)) {
                loss = news;
                interruptedByOthers = thread.isInterrupted();
                thread.interrupt();
                state.set(State.INTERRUPTED);
            }
        }

        /** Ends the watch: no interrupt of ours comes after that. Returns the loss, if any. */
        private @Nullable LockLoss end() {
            if (state.compareAndSet(State.RUNNING, State.OVER)) {
                return null;
            }
            while (state.get() == State.INTERRUPTING) {
                Thread.onSpinWait();
            }
            // A flag that another interrupt had set before ours stays set: it is not ours to clear.
            if (state.compareAndSet(State.INTERRUPTED, State.OVER) && !interruptedByOthers) {
                Thread.interrupted();
            }
            return loss;
        }
    }
}
