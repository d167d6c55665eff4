package io.distlock.etcd;

import io.distlock.LockOptions;
import java.time.Duration;
import java.util.Objects;

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
        requirePrefix(keyPrefix);
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

    private static void requirePrefix(String prefix) {
        Objects.requireNonNull(prefix, "key prefix must not be null");
        if (prefix.isBlank()) {
            throw new IllegalArgumentException(
                    "key prefix \"" + prefix + "\" is blank: choose a short word, such as \"lock\"");
        }
        // Lock "b" under prefix "a" has the keys "a/b/…", and would wait for every lock under prefix "a/b".
        if (prefix.contains("/")) {
            throw new IllegalArgumentException(
                    "key prefix \"" + prefix + "\" contains a slash: remove it, or use another character");
        }
        for (int at = 0; at < prefix.length(); at++) {
            char c = prefix.charAt(at);
            if (Character.isWhitespace(c) || Character.isISOControl(c)) {
                throw new IllegalArgumentException("key prefix \"" + prefix
                        + "\" has white space or a control character at index " + at + ": remove it");
            }
        }
    }
}
