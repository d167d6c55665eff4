package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockInterruptedException;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.spring.context.CallContext;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that runs a body when the lock is lost, and not once the body is over. The news of the loss
 * and the end of the body meet in one compare-and-set: whichever is first decides, and the body's thread waits for
 * an interrupt that is on its way before it goes on, so that it can clear the flag.
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

    static @Nullable Object run(HeldLock lock, CallContext.Body body) throws Throwable {
        InterruptOnLoss watch = new InterruptOnLoss();
        lock.onLost(watch::interrupt);
        try {
            return body.run();
        } catch (InterruptedException | LockInterruptedException obedience) {
            // The second where the body, or one of its calls, was waiting for another lock.
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

    /** Lets no interrupt of ours come any more; the loss if one has come. */
    private @Nullable LockLoss end() {
        if (state.compareAndSet(State.RUNNING, State.OVER)) {
            return null;
        }
        while (state.get() == State.INTERRUPTING) {
            Thread.onSpinWait();
        }
        // What another's interrupt had set before ours stays set: it is not ours to swallow.
        if (state.compareAndSet(State.INTERRUPTED, State.OVER) && !interruptedByOthers) {
            Thread.interrupted();
        }
        return loss;
    }
}
