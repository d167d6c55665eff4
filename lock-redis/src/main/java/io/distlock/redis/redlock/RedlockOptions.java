package io.distlock.redis.redlock;

import io.distlock.redis.RedisLockOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * How locks are kept on several independent Redis servers. Immutable; a value that breaks a rule cannot be made
 * ({@link IllegalArgumentException} that names the value, the rule and the cure).
 *
 * @param keyPrefix what all keys and channels begin with; not blank, without white space, control characters and braces
 * @param callTimeout the longest that one question to all nodes is waited for; acquisitions wait much shorter for a
 *     minority whose connections stand. 10 ms to 60 s
 * @param connectTimeout the longest that a connection may take to be made. 10 ms to 60 s
 * @param clockDrift by what part of a lease clocks may drift apart while it lasts; the lease is believed for that much
 *     less. 0 to 0.5
 * @param restartGuard if present, a node that was restarted gives no votes for this long, because it may have forgotten
 *     those it had given. At least the longest time to live of any lock: lease time and lock-delay, or minimum hold
 *     time; the same in all applications
 */
public record RedlockOptions(
        String keyPrefix,
        Duration callTimeout,
        Duration connectTimeout,
        double clockDrift,
        Optional<Duration> restartGuard) {

    /** Lets locks of up to 60 s, lock-delay included, be taken. */
    public static final Duration DEFAULT_QUARANTINE = Duration.ofSeconds(60);

    private static final double MOST_DRIFT = 0.5;

    private static final RedlockOptions DEFAULTS = new RedlockOptions(
            "lock", Duration.ofSeconds(1), Duration.ofSeconds(2), 0.01, Optional.of(DEFAULT_QUARANTINE));

    public RedlockOptions {
        // The rules are those of one Redis.
        new RedisLockOptions(keyPrefix, callTimeout, connectTimeout, 0, restartGuard);
        if (!(clockDrift >= 0 && clockDrift <= MOST_DRIFT)) {
            throw new IllegalArgumentException("clock drift " + clockDrift
                    + " is out of range: choose a part of the lease" + " from 0 to " + MOST_DRIFT + ", such as 0.01");
        }
    }

    /** Prefix {@code lock}, calls 1 s, connecting 2 s, drift 1 %, restart guard with a quarantine of 60 s. */
    public static RedlockOptions defaults() {
        return DEFAULTS;
    }

    public RedlockOptions withKeyPrefix(String keyPrefix) {
        return new RedlockOptions(keyPrefix, callTimeout, connectTimeout, clockDrift, restartGuard);
    }

    public RedlockOptions withCallTimeout(Duration callTimeout) {
        return new RedlockOptions(keyPrefix, callTimeout, connectTimeout, clockDrift, restartGuard);
    }

    public RedlockOptions withConnectTimeout(Duration connectTimeout) {
        return new RedlockOptions(keyPrefix, callTimeout, connectTimeout, clockDrift, restartGuard);
    }

    public RedlockOptions withClockDrift(double clockDrift) {
        return new RedlockOptions(keyPrefix, callTimeout, connectTimeout, clockDrift, restartGuard);
    }

    public RedlockOptions withRestartGuard(Duration quarantine) {
        return new RedlockOptions(keyPrefix, callTimeout, connectTimeout, clockDrift, Optional.of(quarantine));
    }

    /** For nodes that never forget: with an append-only file that is written with each command. */
    public RedlockOptions withoutRestartGuard() {
        return new RedlockOptions(keyPrefix, callTimeout, connectTimeout, clockDrift, Optional.empty());
    }
}
