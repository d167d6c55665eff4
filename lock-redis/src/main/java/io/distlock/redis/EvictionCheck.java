package io.distlock.redis;

import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks whether Redis may throw locks away when its memory is full. */
final class EvictionCheck {

    private static final Logger log = LoggerFactory.getLogger(EvictionCheck.class);
    private static final String SETTING = "maxmemory-policy";
    private static final String SAFE = "noeviction";

    private final ServerCalls server;

    EvictionCheck(ServerCalls server) {
        this.server = server;
    }

    /** The policy; empty if the server does not say. */
    CompletableFuture<String> policy() {
        return server.setting(SETTING).exceptionally(refused -> {
            log.debug("Redis does not tell its {}", SETTING, refused);
            return "";
        });
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
