package io.distlock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * One or more keys to be locked together, all or nothing, or one of several permits of a key. Immutable. {@link
 * LockClient#request(LockKey)} and its overloads make one from the client's options; the {@code with…} methods refine it.
 *
 * @param keys what to lock: 1 to {@value #MAX_KEYS} keys, sorted and distinct; they are acquired in this order
 * @param mode how to hold all of them
 * @param options how to wait and hold
 * @param permits how many may hold the key at the same time, each one of its permits: 1 to {@value #MAX_PERMITS}; more than
 *     one only for a single key, exclusively
 */
public record LockRequest(List<LockKey> keys, LockMode mode, LockOptions options, int permits) {

    /** The most keys that one request may name. */
    public static final int MAX_KEYS = 1_000;

    /** The most permits of a key. */
    public static final int MAX_PERMITS = 64;

    public LockRequest {
        Objects.requireNonNull(keys, "keys must not be null");
        Objects.requireNonNull(mode, "mode must not be null");
        Objects.requireNonNull(options, "options must not be null");
        keys = keys.size() == 1
                ? List.copyOf(keys)
                : keys.stream().sorted().distinct().toList();
        if (keys.isEmpty() || keys.size() > MAX_KEYS) {
            throw new IllegalArgumentException("a lock request names 1 to " + MAX_KEYS + " keys, not " + keys.size()
                    + (keys.isEmpty() ? "" : ": lock a coarser key instead"));
        }
        if (permits != 1) {
            requirePermits(permits, keys, mode);
        }
    }

    private static void requirePermits(int permits, List<LockKey> keys, LockMode mode) {
        if (permits < 1 || permits > MAX_PERMITS) {
            throw new IllegalArgumentException(
                    permits + " permits are out of range: choose a number from 1 to " + MAX_PERMITS);
        }
        if (mode != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("a shared lock has no permits, since any number may hold it: make the"
                    + " request exclusive, or leave the permits out");
        }
        if (keys.size() > 1) {
            throw new IllegalArgumentException("a request for permits names one key, not " + keys.size()
                    + ": request them one after the other, in the same order everywhere");
        }
        keys.get(0).permit(permits);
    }

    /** A request without permits: one holder at a time, or any number of readers. */
    public LockRequest(List<LockKey> keys, LockMode mode, LockOptions options) {
        this(keys, mode, options, 1);
    }

    /** An exclusive request for these keys. */
    public static LockRequest of(LockOptions options, Collection<LockKey> keys) {
        Objects.requireNonNull(keys, "keys must not be null");
        return new LockRequest(List.copyOf(keys), LockMode.EXCLUSIVE, options);
    }

    public LockRequest withMode(LockMode mode) {
        return new LockRequest(keys, mode, options, permits);
    }

    /**
     * Any one of so many permits of the key. Each is an exclusive lock with fencing tokens of its own: the first is the
     * key itself, so that a lock without permits excludes one of the holders.
     *
     * @see LockKey#permit(int)
     */
    public LockRequest withPermits(int permits) {
        return new LockRequest(keys, mode, options, permits);
    }

    public LockRequest withOptions(LockOptions options) {
        return new LockRequest(keys, mode, options, permits);
    }

    public LockRequest withWaitTime(Duration waitTime) {
        return withOptions(options.withWaitTime(waitTime));
    }

    public LockRequest withLeaseTime(Duration leaseTime) {
        return withOptions(options.withLeaseTime(leaseTime));
    }

    public LockRequest withRenew(boolean renew) {
        return withOptions(options.withRenew(renew));
    }

    public LockRequest withMaxHoldTime(Duration maxHoldTime) {
        return withOptions(options.withMaxHoldTime(maxHoldTime));
    }

    public LockRequest withMinHoldTime(Duration minHoldTime) {
        return withOptions(options.withMinHoldTime(minHoldTime));
    }

    public LockRequest withLockDelay(Duration lockDelay) {
        return withOptions(options.withLockDelay(lockDelay));
    }
}
