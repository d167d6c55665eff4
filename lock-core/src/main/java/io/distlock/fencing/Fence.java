package io.distlock.fencing;

import io.distlock.HeldLock;
import io.distlock.Sequencer;

/**
 * Remembers, in the protected resource itself, the newest holder that has used it. A holder with an older token is refused,
 * even if it has not noticed that its lock is lost. Thread-safe.
 *
 * <p>Call it first in each unit of work that changes the resource, such as a database transaction.
 */
public interface Fence {

    /**
     * Presents a grant of the default provider to the resource. An exclusive one becomes the newest that the resource has seen; a
     * shared one is only compared. Repeating it is harmless.
     *
     * @throws StaleFencingTokenException if the resource has seen a later one
     * @throws IllegalStateException if the resource cannot compare: its newest token is from another provider, or the calling
     *     thread has no unit of work
     */
    void advance(Sequencer sequencer);

    /** {@link #advance(Sequencer)} for each key of a lock, in canonical order. */
    default void advance(HeldLock lock) {
        lock.sequencers().forEach(this::advance);
    }
}
