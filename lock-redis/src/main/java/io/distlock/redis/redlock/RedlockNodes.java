package io.distlock.redis.redlock;

import io.distlock.Release;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The nodes that decide together. */
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

    /** Withdraws something from a node in the background until the node says it is gone, or it has expired. */
    void reap(
            String what, RedlockNode node, Duration timeToLive, Supplier<? extends CompletionStage<Release>> withdraw) {
        runtime.reaper()
                .reap(
                        what + " on " + node.name(),
                        timeToLive.plus(callTimeout),
                        () -> runtime.timeouts().within(callTimeout, withdraw.get()));
    }

    /** The last run_id of each node: two nodes that are one server would have two votes. Thread-safe. */
    static final class RunIds {

        private final Map<String, String> runOfNode = new HashMap<>();
        private volatile Optional<String> clash = Optional.empty();

        synchronized void seen(String node, String run) {
            if (run.equals(runOfNode.put(node, run))) {
                return;
            }
            Map<String, String> nodeOfRun = new HashMap<>();
            clash = Optional.empty();
            runOfNode.forEach((each, its) -> {
                String other = nodeOfRun.put(its, each);
                if (other != null) {
                    clash = Optional.of("nodes " + other + " and " + each + " are the same server (run_id " + its
                            + "), which would have two votes: list each server once");
                }
            });
        }

        /** What is wrong, if anything. */
        Optional<String> clash() {
            return clash;
        }
    }
}
