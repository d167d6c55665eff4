package io.distlock.redis.script;

import io.distlock.redis.script.ServerCommands.Info;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.ProviderStatus.State;
import io.distlock.support.WarmUp;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A deployment's state, for health checks, and whether it may evict locks when its memory is full. */
public record RedisHealth(DeploymentCalls calls) {

    private static final Info NOTHING = new Info("");
    private static final Logger log = LoggerFactory.getLogger(RedisHealth.class);
    private static final String SETTING = "maxmemory-policy";
    private static final String SAFE = "noeviction";

    /** Fails if it does not answer. */
    public CompletableFuture<ProviderStatus> check() {
        CompletableFuture<Info> info = section("server");
        CompletableFuture<Info> replication =
                calls.isCluster() ? CompletableFuture.completedFuture(NOTHING) : section("replication");
        CompletionStage<String> policy = evictionPolicy(calls.server());
        return calls.server()
                .ping()
                .thenCompose(pong -> info.thenCombine(replication, RedisHealth::details))
                .thenCombine(policy, RedisHealth::status);
    }

    private CompletableFuture<Info> section(String name) {
        // Hosted servers may refuse this.
        return calls.server().info(name).exceptionally(refused -> NOTHING);
    }

    static Map<String, Object> details(Info info, Info replication) {
        Map<String, Object> details = new TreeMap<>();
        // Valkey has names of its own, and as its "redis_version" that of the Redis with which it is compatible.
        info.field("valkey_version")
                .map(version -> "Valkey " + version)
                .or(() -> info.field("redis_version"))
                .ifPresent(version -> details.put("version", version));
        info.field("redis_mode").or(() -> info.field("server_mode")).ifPresent(mode -> details.put("mode", mode));
        // In a cluster any node answers; each lock goes to the master of its slot.
        replication.field("role").ifPresent(role -> details.put("role", role));
        return details;
    }

    private static ProviderStatus status(Map<String, Object> details, String policy) {
        if (!policy.isEmpty()) {
            details.put(SETTING, policy);
        }
        State state = State.UP;
        if ("slave".equals(details.get("role"))) {
            details.put("error", "a replica cannot grant locks");
            state = State.DOWN;
        } else if (isUnsafe(policy)) {
            details.put("warning", "locks may be evicted: set maxmemory-policy to noeviction");
            state = State.DEGRADED;
        }
        return new ProviderStatus(state, details);
    }

    public static ProviderStatus down(Throwable failure) {
        return new ProviderStatus(State.DOWN, Map.of("error", WarmUp.reason(failure)));
    }

    /** The policy, in a cluster its masters' least safe one; empty if unknown. */
    private static CompletionStage<String> evictionPolicy(ServerCommands server) {
        return server.setting(SETTING, (one, other) -> isUnsafe(one) || other.isEmpty() ? one : other)
                .exceptionally(unreachable -> "");
    }

    /** An unknown policy counts as safe. */
    private static boolean isUnsafe(String policy) {
        return !policy.isEmpty() && !policy.equals(SAFE);
    }

    static void warnOfEviction(String name, ServerCommands server) {
        evictionPolicy(server).thenAccept(policy -> {
            if (isUnsafe(policy)) {
                log.warn(
                        "{} evicts keys when its memory is full (maxmemory-policy is {}): a held lock may vanish and"
                                + " be granted to another. Set maxmemory-policy to noeviction, or use a separate Redis"
                                + " for locks",
                        name,
                        policy);
            }
        });
    }
}
