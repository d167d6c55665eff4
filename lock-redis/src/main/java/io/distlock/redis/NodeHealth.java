package io.distlock.redis;

import io.distlock.spi.ProviderStatus;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** How a deployment is, for health checks. */
final class NodeHealth {

    private final NodeCalls calls;

    NodeHealth(NodeCalls calls) {
        this.calls = calls;
    }

    /** Fails if it does not answer. */
    CompletableFuture<ProviderStatus> check() {
        CompletableFuture<ServerInfo> info = calls.server()
                .info("server")
                // Hosted ones may refuse the question.
                .exceptionally(refused -> new ServerInfo(Map.of()));
        CompletableFuture<String> policy = new EvictionCheck(calls.server()).policy();
        return calls.server().ping().thenCompose(pong -> info.thenCombine(policy, NodeHealth::up));
    }

    private static ProviderStatus up(ServerInfo info, String policy) {
        Map<String, Object> details = new TreeMap<>();
        info.field("redis_version").ifPresent(version -> details.put("version", version));
        info.field("redis_mode").ifPresent(mode -> details.put("mode", mode));
        if (!policy.isEmpty()) {
            details.put("maxmemory-policy", policy);
        }
        return new ProviderStatus(ProviderStatus.State.UP, details);
    }

    static ProviderStatus down(Throwable failure) {
        String why = failure.getMessage();
        return new ProviderStatus(
                ProviderStatus.State.DOWN,
                Map.of("error", why == null ? failure.getClass().getSimpleName() : why));
    }
}
