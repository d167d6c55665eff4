package io.distlock.redis;

import io.distlock.LockOptions;
import java.time.Duration;

/**
 * How locks are kept in Redis. Immutable; an invalid one cannot be created
 * ({@link IllegalArgumentException} names the value, the rule and the fix).
 *
 * @param keyPrefix prefix of all keys and channels; not blank, no white space, control characters or
 *     braces, and not ending in {@code :fence}
 * @param callTimeout the longest wait for one call to Redis. 10 ms to 60 s
 * @param connectTimeout how long the first calls of a process wait for its first connection; a try to connect takes
 *     at most 2 s of it. 10 ms to 60 s
 * @param replicasToAcknowledge how many replicas must acknowledge a grant or renewal before it counts; 0 for none.
 *     Not with Redis Cluster
 */
public record RedisLockOptions(
        String keyPrefix, Duration callTimeout, Duration connectTimeout, int replicasToAcknowledge) {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private static final RedisLockOptions DEFAULTS =
            new RedisLockOptions("lock", Duration.ofSeconds(1), Duration.ofSeconds(5), 0);

    public RedisLockOptions {
        requirePrefix(keyPrefix);
        LockOptions.requireBetween("call timeout", callTimeout, SHORTEST, LONGEST);
        LockOptions.requireBetween("connect timeout", connectTimeout, SHORTEST, LONGEST);
        if (replicasToAcknowledge < 0) {
            throw new IllegalArgumentException("replicas to acknowledge " + replicasToAcknowledge
                    + " is negative: choose 0 for none, or the number of replicas that must acknowledge each grant");
        }
    }

    /** Prefix {@code lock}, calls 1 s, connecting 5 s, no replica acks. */
    public static RedisLockOptions defaults() {
        return DEFAULTS;
    }

    public RedisLockOptions withKeyPrefix(String keyPrefix) {
        return new RedisLockOptions(keyPrefix, callTimeout, connectTimeout, replicasToAcknowledge);
    }

    public RedisLockOptions withCallTimeout(Duration callTimeout) {
        return new RedisLockOptions(keyPrefix, callTimeout, connectTimeout, replicasToAcknowledge);
    }

    public RedisLockOptions withConnectTimeout(Duration connectTimeout) {
        return new RedisLockOptions(keyPrefix, callTimeout, connectTimeout, replicasToAcknowledge);
    }

    public RedisLockOptions withReplicasToAcknowledge(int replicasToAcknowledge) {
        return new RedisLockOptions(keyPrefix, callTimeout, connectTimeout, replicasToAcknowledge);
    }

    private static void requirePrefix(String prefix) {
        // Braces would move the hash tag, and spread a lock's keys over different cluster slots.
        LockOptions.requirePrefix(prefix, "{}");
        if (prefix.endsWith(":fence")) {
            throw new IllegalArgumentException("key prefix \"" + prefix
                    + "\" ends with \":fence\", where locks with the prefix \""
                    + prefix.substring(0, prefix.length() - ":fence".length())
                    + "\" keep their fencing counters: choose another ending");
        }
    }
}
