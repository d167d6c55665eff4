package io.distlock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * One or more keys to be locked together, all or nothing. Immutable. {@link LockClient#request(LockKey)} and its overloads
 * make one from the client's options; the {@code with…} methods refine it.
 *
 * @param keys what to lock: 1 to {@value #MAX_KEYS} keys, sorted and distinct; they are acquired in this order
 * @param mode how to hold all of them
 * @param options how to wait and hold
 */
public record LockRequest(List<LockKey> keys, LockMode mode, LockOptions options) {

    /** The most keys that one request may name. */
    public static final int MAX_KEYS = 1_000;

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
    }

    /** An exclusive request for these keys. */
    public static LockRequest of(LockOptions options, Collection<LockKey> keys) {
        Objects.requireNonNull(keys, "keys must not be null");
        return new LockRequest(List.copyOf(keys), LockMode.EXCLUSIVE, options);
    }

    public LockRequest withMode(LockMode mode) {
        return new LockRequest(keys, mode, options);
    }

    public LockRequest withOptions(LockOptions options) {
        return new LockRequest(keys, mode, options);
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
