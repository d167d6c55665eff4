package io.distlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A lock that has been granted, on one key or on several at once. It is held until it is released or lost, and
 * either is final: a handle that has once said "no longer held" never says "held" again.
 *
 * <p>Whether it is held is computed from the clock at each call, so it is known in time even if the store has
 * gone silent. Over several keys: held means all are, and the first loss is the loss of the whole.
 *
 * <p>Thread-safe; may be released from any thread, not only the one that acquired it.
 */
public interface HeldLock extends AutoCloseable {

    /** What is locked, in canonical order; one key or more. */
    List<LockKey> keys();

    LockMode mode();

    /** The grants to show to the protected resources, one for each key, in the order of {@link #keys()}. */
    List<Sequencer> sequencers();

    /**
     * The fencing token of the only key.
     *
     * @throws IllegalStateException if several keys are locked: each has a token of its own, see
     *     {@link #sequencers()}
     */
    default FencingToken fencingToken() {
        List<Sequencer> grants = sequencers();
        if (grants.size() > 1) {
            throw new IllegalStateException("this lock covers " + grants.size()
                    + " keys, each with a fencing token of its own: take the one you need from sequencers()");
        }
        return grants.get(0).token();
    }

    /** Whether the lock is held at this moment, by the clock. */
    boolean isHeld();

    /** For how long the lock is still valid if no renewal comes; zero if it is not held. */
    Duration remaining();

    /**
     * Goes on only if the lock is held.
     *
     * @throws LockLostException if it was lost
     * @throws IllegalStateException if it was released
     */
    void ensureHeld();

    /**
     * Completes when the lock is lost, and never if it is released. Dependents that are not given an executor run
     * on a thread of the client's callback executor and may block; those that are added after the loss run at once, on the
     * thread that adds them.
     *
     * <p>The same stage each time. What depends on it stays there until the lock has ended, so whoever holds a lock for
     * long adds dependents once and not at each step of the work.
     */
    CompletionStage<LockLoss> lost();

    /**
     * Calls back once when the lock is lost, on the client's thread for losses; at once and on the calling thread if that
     * thread has told of it already. The action returns at once: it holds up the news of other losses. What may block
     * depends on {@link #lost()}.
     */
    default void onLost(Consumer<LockLoss> action) {
        lost().thenAccept(action);
    }

    /**
     * Gives the lock back and waits for the answer, no longer than the provider's call timeout. Releasing again
     * answers the same without asking again. Interrupts do not disturb it. Throws nothing: what happened is
     * the result.
     */
    Release release();

    /**
     * As {@link #release()}, without waiting. Dependents as those of {@link #lost()}.
     */
    CompletionStage<Release> releaseAsync();

    /**
     * Releases, and complains if the lock had been lost. It had not if it was held when the release began, unless the store
     * says, while the lock would still be valid, that it is not ours. In a try-with-resources statement an exception of the
     * body stays the one that is thrown; the loss is suppressed into it.
     *
     * @throws LockLostException if the lock was lost before it could be released
     */
    @Override
    void close();
}
