package io.distlock.redis.redlock;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The last run_id of each node: two nodes that are one server would have two votes. Thread-safe. */
final class RunIds {

    private final Map<String, String> runOfNode = new HashMap<>();
    private volatile Optional<String> clash = Optional.empty();

    synchronized void seen(String node, String run) {
        runOfNode.put(node, run);
        Map<String, String> nodeOfRun = new HashMap<>();
        Optional<String> found = Optional.empty();
        for (Map.Entry<String, String> each : runOfNode.entrySet()) {
            String other = nodeOfRun.put(each.getValue(), each.getKey());
            if (other != null) {
                found = Optional.of("nodes " + other + " and " + each.getKey() + " are the same server (run_id "
                        + each.getValue() + "), which would have two votes: list each server once");
            }
        }
        // At once: a vote in between would not see a clash that is known.
        clash = found;
    }

    Optional<String> clash() {
        return clash;
    }
}
