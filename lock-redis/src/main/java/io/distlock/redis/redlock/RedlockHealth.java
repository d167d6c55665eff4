package io.distlock.redis.redlock;

import io.distlock.spi.ProviderStatus;
import io.distlock.spi.ProviderStatus.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The state of the nodes, for health checks; the margin is how many more may fail. */
record RedlockHealth(RedlockNodes nodes) {

    private static final String UP = "up";

    /** Never fails. */
    CompletableFuture<ProviderStatus> check() {
        List<CompletableFuture<String>> asked = new ArrayList<>();
        for (RedlockNode node : nodes.all()) {
            asked.add(nodes.runtime()
                    .timeouts()
                    .within(nodes.callTimeout(), node.check())
                    .handle((quarantine, failure) -> failure == null ? describe(quarantine) : describe(failure)));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(done ->
                        status(asked.stream().map(CompletableFuture::join).toList()));
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

    private ProviderStatus status(List<String> states) {
        Map<String, Object> each = new TreeMap<>();
        int up = 0;
        for (int at = 0; at < states.size(); at++) {
            each.put(nodes.get(at).name(), states.get(at));
            up += states.get(at).equals(UP) ? 1 : 0;
        }
        int majority = nodes.quorum().majority();
        Map<String, Object> details = new TreeMap<>(Map.of("nodes", each, "quorum", majority, "margin", up - majority));
        Optional<String> clash = nodes.runIds().clash();
        clash.ifPresent(why -> details.put("error", why));
        return new ProviderStatus(clash.isPresent() ? State.DOWN : state(up - majority), details);
    }

    /** Degraded: one more failure brings it down. */
    private State state(int margin) {
        if (margin > 0) {
            return State.UP;
        }
        return margin == 0 ? State.DEGRADED : State.DOWN;
    }
}
