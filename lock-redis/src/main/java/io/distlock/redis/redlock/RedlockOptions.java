package io.distlock.redis.redlock;

import io.distlock.LockOptions;
import io.distlock.redis.RedisLockOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * How locks are kept on several independent Redis servers. Immutable; an invalid one cannot be created
 * ({@link IllegalArgumentException} names the value, the rule and the fix).
 *
 * @param keyPrefix prefix of all keys and channels; not blank, no white space, control characters or braces
 * @param callTimeout the longest wait for one request to all nodes; acquisitions wait much less for a
 *     minority whose connections are up. 10 ms to 60 s
 * @param connectTimeout how long the first calls of a process wait until it is connected to a majority; a try to connect
 *     takes at most 2 s of it. 10 ms to 60 s
 * @param clockDrift how far clocks may drift apart during a lease, as a fraction of the lease. Its validity is shorter by
 *     that. 0 to 0.5
 * @param restartGuard if present, nodes must be Redis 7 or newer, and a restarted one does not vote for this long, because it
 *     may have forgotten its earlier votes. At least the longest time to live of any lock: lease time plus lock-delay, or
 *     minimum hold time; the same in all applications
 */
public record RedlockOptions(
        String keyPrefix,
        Duration callTimeout,
        Duration connectTimeout,
        double clockDrift,
        Optional<Duration> restartGuard) {

    /** Allows locks of up to 60 s, lock-delay included. */
    private static final Duration DEFAULT_QUARANTINE = Duration.ofSeconds(60);

    private static final Duration SHORTEST_QUARANTINE = Duration.ofMillis(10);
    private static final Duration LONGEST_QUARANTINE = Duration.ofHours(25);
    private static final double MOST_DRIFT = 0.5;

    private static final RedlockOptions DEFAULTS = new RedlockOptions(
            "lock", Duration.ofSeconds(1), Duration.ofSeconds(5), 0.01, Optional.of(DEFAULT_QUARANTINE));

    public RedlockOptions {
        // The same rules as for one Redis.
        new RedisLockOptions(keyPrefix, callTimeout, connectTimeout, 0);
        restartGuard.ifPresent(time -> LockOptions.requireBetween(
                "quarantine after a restart", time, SHORTEST_QUARANTINE, LONGEST_QUARANTINE));
        if (!(clockDrift >= 0 && clockDrift <= MOST_DRIFT)) {
            throw new IllegalArgumentException("clock drift " + clockDrift
                    + " is out of range: choose a fraction of the lease from 0 to " + MOST_DRIFT + ", such as 0.01");
        }
    }

    /** Prefix {@code lock}, calls 1 s, connecting 5 s, drift 1 %, restart guard with a quarantine of 60 s. */
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

    /** For nodes that never forget, since they write each command to an append-only file. */
    public RedlockOptions withoutRestartGuard() {
        return new RedlockOptions(keyPrefix, callTimeout, connectTimeout, clockDrift, Optional.empty());
    }
}
