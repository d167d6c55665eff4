package io.distlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A granted lock, on one or more keys. It is held until it is released or lost. Both are final: a lock that
 * has once reported "no longer held" never reports "held" again.
 *
 * <p>Each call checks the clock, so a loss is detected in time even if the store does not answer.
 * A lock on several keys is held while all of them are; losing one loses the lock.
 *
 * <p>Thread-safe. Any thread may release it.
 */
public interface HeldLock extends AutoCloseable {

    /** The locked keys in canonical order; one or more. */
    List<LockKey> keys();

    LockMode mode();

    /** The proofs for the protected resources, one for each key, in the order of {@link #keys()}. */
    List<Sequencer> sequencers();

    /**
     * The fencing token of the only key.
     *
     * @throws IllegalStateException if several keys are locked: each has its own token, see {@link #sequencers()}
     */
    default FencingToken fencingToken() {
        List<Sequencer> grants = sequencers();
        if (grants.size() > 1) {
            throw new IllegalStateException("this lock covers " + grants.size()
                    + " keys, each with its own fencing token: take the one you need from sequencers()");
        }
        return grants.get(0).token();
    }

    /**
     * Which of the requested permits this is, from 1 on; 1 if no permits were requested, or several keys. {@link #keys()} has
     * its key: see {@link LockKey#permit(int)}.
     */
    default int permit() {
        return 1;
    }

    /** Whether the lock is held at this moment, by the clock. */
    boolean isHeld();

    /** How long the lock stays valid without another renewal; zero if it is not held. */
    Duration remaining();

    /**
     * Returns only if the lock is held.
     *
     * @throws LockLostException if it was lost
     * @throws IllegalStateException if it was released
     */
    void ensureHeld();

    /**
     * Extends a lock that is not renewed: it is then valid for this long from now, minus the clock drift, and not beyond
     * its maximum hold time. Never shortens it. Waits up to the provider's call timeout; ignores interrupts.
     *
     * @param leaseTime as in {@link LockOptions}; how long a provider can extend a lock is in its documentation
     * @return the time {@link #remaining()} now
     * @throws LockLostException if the lock was lost
     * @throws LockUnavailableException if the store did not answer: the lock is held for the rest of its time or, if the
     *     answer arrives later, for longer
     * @throws IllegalStateException if the lock was released, or is renewed automatically
     * @throws IllegalArgumentException if the store cannot keep a lock that long
     * @throws UnsupportedOperationException if the provider cannot extend locks
     */
    default Duration extend(Duration leaseTime) {
        return extend(leaseTime, Duration.ZERO);
    }

    /**
     * {@link #extend(Duration)} with a minimum hold time: the store keeps the key for at least this long from now, even if the
     * lock is released earlier. Never shortens either.
     */
    Duration extend(Duration leaseTime, Duration minHoldTime);

    /**
     * Completes when the lock is lost, and never if it is released. Dependents without an executor run on the client's
     * callback executor and may block; those added after the loss run at once, on the adding thread.
     *
     * <p>Returns the same stage each time, which keeps its dependents until the lock ends: add them once, not at each
     * step.
     */
    CompletionStage<LockLoss> lost();

    /**
     * Calls the action once when the lock is lost, on the client's loss thread, or on the calling thread if the loss was
     * already announced. The action must return at once, since it delays other announcements: for code that may
     * block, use {@link #lost()}.
     */
    default void onLost(Consumer<LockLoss> action) {
        lost().thenAccept(action);
    }

    /**
     * Releases the lock and waits up to the provider's call timeout for the answer. Repeated calls return the same
     * answer without asking again. Ignores interrupts and never throws.
     */
    Release release();

    /** {@link #release()} without waiting. Dependents run like those of {@link #lost()}. */
    CompletionStage<Release> releaseAsync();

    /**
     * Releases the lock, and throws if it was lost before. A lock counts as lost if it was not held when the release began,
     * or if the store reports, within its validity and lock-delay, that it is not ours. In a try-with-resources statement the
     * body's exception is thrown, with the loss suppressed.
     *
     * @throws LockLostException if the lock was lost before it could be released
     */
    @Override
    void close();
}
