package io.distlock.redis;

import io.distlock.redis.ServerCommands.Info;
import io.distlock.spi.ProviderStatus;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** How a deployment is, for health checks. */
final class NodeHealth {

    private static final Info NOTHING = new Info(Map.of());
    private static final String REPLICA = "slave";

    private final NodeCalls calls;

    NodeHealth(NodeCalls calls) {
        this.calls = calls;
    }

    /** Fails if it does not answer. */
    CompletableFuture<ProviderStatus> check() {
        CompletableFuture<Info> info = section("server");
        CompletableFuture<Info> replication =
                calls.isCluster() ? CompletableFuture.completedFuture(NOTHING) : section("replication");
        CompletableFuture<String> policy = new EvictionCheck(calls.server()).policy();
        return calls.server()
                .ping()
                .thenCompose(pong -> info.thenCombine(replication, NodeHealth::details))
                .thenCombine(policy, NodeHealth::status);
    }

    private CompletableFuture<Info> section(String name) {
        // Hosted ones may refuse the question.
        return calls.server().info(name).exceptionally(refused -> NOTHING);
    }

    private static Map<String, Object> details(Info info, Info replication) {
        Map<String, Object> details = new TreeMap<>();
        info.field("redis_version").ifPresent(version -> details.put("version", version));
        info.field("redis_mode").ifPresent(mode -> details.put("mode", mode));
        // Of a cluster any node answers; each lock goes to the master of its slot.
        replication.field("role").ifPresent(role -> details.put("role", role));
        return details;
    }

    private static ProviderStatus status(Map<String, Object> details, String policy) {
        if (!policy.isEmpty()) {
            details.put("maxmemory-policy", policy);
        }
        if (REPLICA.equals(details.get("role"))) {
            details.put("error", "a replica grants no locks");
            return new ProviderStatus(ProviderStatus.State.DOWN, details);
        }
        if (EvictionCheck.isSafe(policy)) {
            return new ProviderStatus(ProviderStatus.State.UP, details);
        }
        details.put("warning", "locks may be evicted: set maxmemory-policy to noeviction");
        return new ProviderStatus(ProviderStatus.State.DEGRADED, details);
    }

    static ProviderStatus down(Throwable failure) {
        String why = failure.getMessage();
        return new ProviderStatus(
                ProviderStatus.State.DOWN,
                Map.of("error", why == null ? failure.getClass().getSimpleName() : why));
    }
}
