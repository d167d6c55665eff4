package io.distlock.leader;

/**
 * Learns when this instance begins and ceases to lead. Each method is called once for each term, in order and never at the
 * same time, on the callback executor of the election's client, so it may block. While one runs, the next waits: work that
 * takes longer belongs on a thread of its own. Several listeners are told of an election in the order in which they were added, and
 * of its end in the reverse order.
 */
public interface LeaderListener {

    /**
     * This instance leads. Another one should lead if this throws: the term then ends, with {@link Revocation#FAILED}.
     */
    default void onElected(LeaderTerm term) {}

    /**
     * This instance leads no longer. Called before another can be elected, unless the lock was taken away. The lock is given
     * back when this has returned, or after the election's revoke timeout; if the store does not answer, it expires even
     * sooner, a margin after this call.
     */
    default void onRevoked(LeaderTerm term, Revocation reason) {}
}
