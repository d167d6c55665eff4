package io.distlock.redis;

import io.distlock.Release;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The nodes that decide together, and what is needed to ask them all.
 *
 * @param secondPhase whether counters that differ are raised; only a test that shows why leaves it out
 */
record RedlockNodes(
        List<RedlockNode> all,
        Quorum quorum,
        RunIds runIds,
        LockRuntime runtime,
        Duration callTimeout,
        boolean secondPhase) {

    private static final Duration LONGEST_VOTE = Duration.ofMillis(200);
    private static final Duration SHORTEST_VOTE = Duration.ofMillis(100);

    RedlockNodes {
        all = List.copyOf(all);
    }

    int size() {
        return all.size();
    }

    RedlockNode get(int at) {
        return all.get(at);
    }

    /**
     * For how long a node is waited for, once a connection to it stands: a small part of the lease, so that nodes that are
     * down leave enough of it, but not so small that a pause of this process passes for their silence.
     */
    Duration voteTimeout(Duration leaseTime) {
        Duration limit = least(leaseTime.dividedBy(20), LONGEST_VOTE);
        Duration floor = least(leaseTime.dividedBy(4), SHORTEST_VOTE);
        return least(limit.compareTo(floor) < 0 ? floor : limit, callTimeout);
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Withdraws something from a node in the background until the node says that it is gone, or it has expired. */
    void reap(
            String what, RedlockNode node, Duration timeToLive, Supplier<? extends CompletionStage<Release>> withdraw) {
        runtime.reaper()
                .reap(
                        what + " on " + node.name(),
                        timeToLive.plus(callTimeout),
                        () -> runtime.timeouts().within(callTimeout, withdraw.get()));
    }
}
