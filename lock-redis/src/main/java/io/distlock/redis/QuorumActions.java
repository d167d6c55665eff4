package io.distlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** What one try to take a lock from a majority asks for: whoever does it knows the nodes and the clock. */
interface QuorumActions {

    /** Something to be done, while nothing is guarded. */
    interface Step {
        void by(QuorumActions actions);
    }

    /**
     * Waits, but not beyond the end of the try.
     *
     * @param whenUp is told how long the try has taken
     */
    void limit(Duration time, Function<Duration, List<Step>> whenUp);

    /** Reports to {@link QuorumPhases#unconfirmed} when there is no time left to confirm the token. */
    void limitConfirming();

    /** Tells the node the token that was chosen, and reports to {@link QuorumPhases#raised}. */
    void raise(int node, RedisLease entry, long proposed);

    /** The node has granted what has been given back since. */
    void withdrawUnlessReleased(int node, RedlockLease lease);

    void grant(RedlockLease lease);

    /** The node does not have what is granted. */
    void restore(int node, RedlockLease lease);

    /** The node may have been given it since. */
    void takeBack(int node, RedlockLease lease);

    /**
     * Withdraws what may have been granted, and tells nobody: too many nodes have refused it for anybody to have taken it
     * for a holder that is worth waiting for. And those who were refused parts of the lock at the same time are not to be
     * woken from the pauses that keep them apart.
     *
     * @param said by the nodes, in their order, for people
     */
    void refuse(Refusals refusals, List<String> said);

    /**
     * Withdraws what may have been granted.
     *
     * @param said by the nodes, in their order, for people
     * @param quietly whether nobody need be told, as of what is refused. Where so many nodes are gone that nobody can have
     *     the lock, those who try would wake each other, again and again
     */
    void fail(String why, List<String> said, boolean quietly);
}
