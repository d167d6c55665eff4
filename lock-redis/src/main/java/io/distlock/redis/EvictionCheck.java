package io.distlock.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks whether Redis may throw locks away when its memory is full. */
final class EvictionCheck {

    private static final Logger log = LoggerFactory.getLogger(EvictionCheck.class);
    private static final String SETTING = "maxmemory-policy";
    private static final String SAFE = "noeviction";

    private final ServerCommands server;

    EvictionCheck(ServerCommands server) {
        this.server = server;
    }

    /** The policy, of a cluster's masters one that is not safe if there is one; empty if no server says. */
    CompletableFuture<String> policy() {
        return server.settings(SETTING)
                .thenApply(EvictionCheck::leastSafe)
                .exceptionally(unreachable -> "")
                .toCompletableFuture();
    }

    private static String leastSafe(List<String> policies) {
        return policies.stream()
                .filter(policy -> !isSafe(policy))
                .findFirst()
                .orElseGet(() -> policies.contains(SAFE) ? SAFE : "");
    }

    /** Whether locks stay; one that is not told is taken to be safe. */
    static boolean isSafe(String policy) {
        return policy.isEmpty() || policy.equals(SAFE);
    }

    void warn() {
        policy().thenAccept(policy -> {
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
