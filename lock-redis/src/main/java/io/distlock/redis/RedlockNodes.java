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

    private static final Duration LONGEST_VOTE = Duration.ofMillis(250);

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
     * For how long a node is waited for, once a connection to it stands and unless others decide: not so long that too little
     * of the lease would be left, nor so short that a pause of this process passes for the silence of a node.
     */
    Duration voteTimeout(Duration leaseTime) {
        return least(least(leaseTime.dividedBy(4), LONGEST_VOTE), callTimeout);
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
