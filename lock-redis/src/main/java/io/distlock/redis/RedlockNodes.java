package io.distlock.redis;

import io.distlock.Release;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The nodes that decide together, and what is needed to ask them all. */
record RedlockNodes(List<RedlockNode> all, Quorum quorum, RunIds runIds, LockRuntime runtime, Duration callTimeout) {

    RedlockNodes {
        all = List.copyOf(all);
    }

    int size() {
        return all.size();
    }

    RedlockNode get(int at) {
        return all.get(at);
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
