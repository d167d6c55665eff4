package io.distlock.fencing;

import io.distlock.HeldLock;
import io.distlock.Sequencer;

/**
 * A protected resource's memory of the newest holder that has used it, kept in the resource itself: whoever comes with an
 * older token is refused, however wrong it may be about its lock. Thread-safe.
 *
 * <p>Call it first in each unit of work that changes the resource, such as a database transaction.
 */
public interface Fence {

    /**
     * Shows the resource a grant by the default provider. An exclusive one becomes the newest that the resource has seen; a
     * shared one is only compared. Repeating it is harmless.
     *
     * @throws StaleFencingTokenException if the resource has seen a later one
     * @throws IllegalStateException if the resource cannot compare: its newest token is another provider's, or the calling
     *     thread has no unit of work
     */
    void advance(Sequencer sequencer);

    /** {@link #advance(Sequencer)} for each key of a lock, in canonical order. */
    default void advance(HeldLock lock) {
        lock.sequencers().forEach(this::advance);
    }
}
