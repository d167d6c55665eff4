package io.distlock.etcd;

import io.distlock.LockOptions;
import java.time.Duration;

/**
 * How locks are kept in etcd. Immutable; an invalid value is rejected with an {@link IllegalArgumentException} that
 * names the value, the rule and the fix.
 *
 * @param keyPrefix the part of all keys before the first {@code /}; not blank, no white space, control characters or
 *     {@code /}
 * @param callTimeout the longest wait for the answer to one call. 10 ms to 60 s
 */
public record EtcdLockOptions(String keyPrefix, Duration callTimeout) {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofSeconds(60);

    public EtcdLockOptions {
        // Lock "b" under prefix "a" has the keys "a/b/…", and would wait for every lock under prefix "a/b".
        LockOptions.requirePrefix(keyPrefix, "/");
        requireTimeout("call timeout", callTimeout);
    }

    /** Prefix {@code lock}, calls 1 s. */
    public static EtcdLockOptions defaults() {
        return new EtcdLockOptions("lock", Duration.ofSeconds(1));
    }

    public EtcdLockOptions withKeyPrefix(String keyPrefix) {
        return new EtcdLockOptions(keyPrefix, callTimeout);
    }

    public EtcdLockOptions withCallTimeout(Duration callTimeout) {
        return new EtcdLockOptions(keyPrefix, callTimeout);
    }

    static void requireTimeout(String what, Duration value) {
        LockOptions.requireBetween(what, value, SHORTEST, LONGEST);
    }
}
