package io.distlock.redis;

import io.distlock.spi.ProviderStatus;
import io.distlock.spi.ProviderStatus.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** How the nodes are, for health checks. */
final class RedlockHealth {

    private final RedlockNodes nodes;

    RedlockHealth(RedlockNodes nodes) {
        this.nodes = nodes;
    }

    /** Never fails. */
    CompletableFuture<ProviderStatus> check() {
        List<CompletableFuture<String>> asked = new ArrayList<>();
        for (RedlockNode node : nodes.all()) {
            asked.add(nodes.runtime()
                    .timeouts()
                    .within(nodes.callTimeout(), new NodeHealth(node.calls()).check())
                    .handle((status, failure) -> failure == null ? "up" : "down: " + failure.getMessage()));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(done -> status(
                        asked.stream().map(CompletableFuture::join).toList()));
    }

    private ProviderStatus status(List<String> states) {
        Map<String, Object> each = new TreeMap<>();
        int up = 0;
        for (int at = 0; at < states.size(); at++) {
            each.put(nodes.get(at).name(), states.get(at));
            up += states.get(at).equals("up") ? 1 : 0;
        }
        int margin = up - nodes.quorum().majority();
        State state = up == nodes.size() ? State.UP : margin >= 0 ? State.DEGRADED : State.DOWN;
        return new ProviderStatus(
                state, Map.of("nodes", each, "quorum", nodes.quorum().majority(), "margin", margin));
    }
}
