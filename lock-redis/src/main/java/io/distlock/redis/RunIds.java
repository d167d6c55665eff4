package io.distlock.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** By which run_id each node was last known: two nodes that are the same server would make one vote count twice. Thread-safe. */
final class RunIds {

    private final Map<String, String> runOfNode = new HashMap<>();
    private volatile Optional<String> clash = Optional.empty();

    /**
     * @param node its name
     */
    synchronized void seen(String node, String run) {
        if (!run.equals(runOfNode.put(node, run))) {
            clash = findClash();
        }
    }

    private Optional<String> findClash() {
        Map<String, String> nodeOfRun = new HashMap<>();
        for (Map.Entry<String, String> each : runOfNode.entrySet()) {
            String other = nodeOfRun.put(each.getValue(), each.getKey());
            if (other != null) {
                return Optional.of("nodes " + other + " and " + each.getKey() + " are the same server (run_id "
                        + each.getValue() + "), which would have two votes: list each server once");
            }
        }
        return Optional.empty();
    }

    /** What is wrong, if anything is. */
    Optional<String> clash() {
        return clash;
    }
}
