package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockInterruptedException;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.spring.execution.Execution.Body;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that runs a body when the lock is lost, but not after the body ends. The loss and the end of the body
 * race on one compare-and-set: the first one wins, and the body's thread waits for a pending interrupt before it continues, so
 * that it can clear the flag. Bodies that are done later are cancelled instead: see {@link AsyncCall}.
 */
final class InterruptOnLoss {

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
