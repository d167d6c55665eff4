package io.distlock.redis.script;

import io.distlock.redis.script.ServerCommands.Info;
import io.distlock.spi.ProviderStatus;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A deployment's state, for health checks, and whether it may evict locks when its memory is full. */
public record RedisHealth(NodeCalls calls) {

    private static final Info NOTHING = new Info(Map.of());
    private static final String REPLICA = "slave";
    private static final Logger log = LoggerFactory.getLogger(RedisHealth.class);
    private static final String SETTING = "maxmemory-policy";
    private static final String SAFE = "noeviction";

    /** Fails if it does not answer. */
    public CompletableFuture<ProviderStatus> check() {
        CompletableFuture<Info> info = section("server");
        CompletableFuture<Info> replication =
                calls.isCluster() ? CompletableFuture.completedFuture(NOTHING) : section("replication");
        CompletableFuture<String> policy = evictionPolicy(calls.server());
        return calls.server()
                .ping()
                .thenCompose(pong -> info.thenCombine(replication, RedisHealth::details))
                .thenCombine(policy, RedisHealth::status);
    }

    private CompletableFuture<Info> section(String name) {
        // Hosted servers may refuse this.
        return calls.server().info(name).exceptionally(refused -> NOTHING);
    }

    private static Map<String, Object> details(Info info, Info replication) {
        Map<String, Object> details = new TreeMap<>();
        info.field("redis_version").ifPresent(version -> details.put("version", version));
        info.field("redis_mode").ifPresent(mode -> details.put("mode", mode));
        // In a cluster any node answers; each lock goes to the master of its slot.
        replication.field("role").ifPresent(role -> details.put("role", role));
        return details;
    }

    private static ProviderStatus status(Map<String, Object> details, String policy) {
        if (!policy.isEmpty()) {
            details.put(SETTING, policy);
        }
        if (REPLICA.equals(details.get("role"))) {
            details.put("error", "a replica grants no locks");
            return new ProviderStatus(ProviderStatus.State.DOWN, details);
        }
        if (isSafe(policy)) {
            return new ProviderStatus(ProviderStatus.State.UP, details);
        }
        details.put("warning", "locks may be evicted: set maxmemory-policy to noeviction");
        return new ProviderStatus(ProviderStatus.State.DEGRADED, details);
    }

    public static ProviderStatus down(Throwable failure) {
        String why = failure.getMessage();
        return new ProviderStatus(
                ProviderStatus.State.DOWN,
                Map.of("error", why == null ? failure.getClass().getSimpleName() : why));
    }

    /** The policy, in a cluster its masters' least safe one; empty if unknown. */
    private static CompletableFuture<String> evictionPolicy(ServerCommands server) {
        return server.settings(SETTING)
                .thenApply(RedisHealth::leastSafe)
                .exceptionally(unreachable -> "")
                .toCompletableFuture();
    }

    private static String leastSafe(List<String> policies) {
        return policies.stream()
                .filter(policy -> !isSafe(policy))
                .findFirst()
                .orElseGet(() -> policies.contains(SAFE) ? SAFE : "");
    }

    /** An unknown policy counts as safe. */
    private static boolean isSafe(String policy) {
        return policy.isEmpty() || policy.equals(SAFE);
    }

    static void warnOfEviction(ServerCommands server) {
        evictionPolicy(server).thenAccept(policy -> {
            if (!isSafe(policy)) {
                log.warn(
                        "Redis evicts keys when its memory is full ({} is {}): a lock that is held may vanish, and"
                                + " another take it. Set {} to {}, or keep locks in a Redis of their own",
                        SETTING,
                        policy,
                        SETTING,
                        SAFE);
            }
        });
    }
}
