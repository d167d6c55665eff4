package io.distlock.redis.redlock;

import io.distlock.spi.ProviderStatus;
import io.distlock.spi.ProviderStatus.State;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;

/** The state of the nodes, for health checks; the margin is how many more may fail. */
record RedlockHealth(RedlockNodes nodes) {

    private static final String UP = "up";

    /** Never fails. */
    CompletableFuture<ProviderStatus> check() {
        Map<String, Object> states = new ConcurrentSkipListMap<>();
        var asked = nodes.all().stream()
                .map(node -> nodes.runtime()
                        .timeouts()
                        .within(nodes.callTimeout(), node.check())
                        .handle((quarantine, failure) ->
                                states.put(node.name(), failure == null ? describe(quarantine) : describe(failure))));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(done -> status(states));
    }

    private static String describe(Duration quarantine) {
        return quarantine.isZero()
                ? UP
                : "quarantined for another " + quarantine.plusMillis(999).toSeconds()
                        + " s (distributed-lock.redlock.restart-guard.quarantine)";
    }

    private static String describe(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return "down: " + cause.getMessage();
    }

    private ProviderStatus status(Map<String, Object> states) {
        int majority = nodes.quorum().majority();
        int margin = Collections.frequency(states.values(), UP) - majority;
        Map<String, Object> details = new TreeMap<>(Map.of("nodes", states, "quorum", majority, "margin", margin));
        Optional<String> clash = nodes.runIds().clash();
        clash.ifPresent(why -> details.put("error", why));
        // Degraded: one more failure brings it down.
        State state = margin > 0 ? State.UP : margin == 0 ? State.DEGRADED : State.DOWN;
        return new ProviderStatus(clash.isPresent() ? State.DOWN : state, details);
    }
}
