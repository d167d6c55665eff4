package io.distlock;

import java.time.Duration;
import java.util.Objects;

/**
 * How long to wait for a lock and how to hold it. Immutable. The constructor rejects invalid values, with an
 * {@link IllegalArgumentException} that names the option, the value, the rule and the fix.
 *
 * @param waitTime how long to wait for the lock; zero tries once. 0 to {@link #MAX_WAIT}
 * @param leaseTime T: how long one grant or renewal is valid. {@link #MIN_LEASE} to {@link #MAX_LEASE}, and
 *     at least {@link #MIN_RENEWED_LEASE} if renewed
 * @param renew whether the watchdog renews the lease while the lock is held
 * @param maxHoldTime limits renewal: a lock held this long is lost, and reported. At least {@code leaseTime} if
 *     renewed, at most {@link #MAX_HOLD}
 * @param minHoldTime how long after the grant the key stays taken, even if released earlier. 0 to {@link #MAX_LEASE};
 *     if renewed, no more than a {@code maxHoldTime} other than the default
 * @param lockDelay D: the store keeps the key for T + D, so that a holder that vanishes keeps others out for D longer
 *     (Chubby's lock-delay). 0 to {@link #MAX_LOCK_DELAY}
 */
public record LockOptions(
        Duration waitTime,
        Duration leaseTime,
        boolean renew,
        Duration maxHoldTime,
        Duration minHoldTime,
        Duration lockDelay) {

    /** The shortest lease: below it, clock drift and a round trip would use up most of it. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);

    /**
     * The shortest lease that can be renewed. Renewal begins after a third of it; an unanswered try takes a sixth, and the
     * pause after it a twentieth. So three tries fit into the rest, and each must have time for a round trip.
     */
    public static final Duration MIN_RENEWED_LEASE = Duration.ofMillis(300);

    /** The longest lease. A dead holder blocks others for this long. */
    public static final Duration MAX_LEASE = Duration.ofHours(24);

    /** The longest wait. */
    public static final Duration MAX_WAIT = Duration.ofDays(7);

    /** The longest maximum hold time. */
    public static final Duration MAX_HOLD = Duration.ofDays(365);

    /** The longest lock-delay. */
    public static final Duration MAX_LOCK_DELAY = Duration.ofSeconds(60);

    private static final Duration USUAL_MAX_HOLD = Duration.ofHours(1);

    private static final LockOptions DEFAULTS = new LockOptions(
            Duration.ofSeconds(5), Duration.ofSeconds(30), true, USUAL_MAX_HOLD, Duration.ZERO, Duration.ZERO);

    public LockOptions {
        requireBetween("wait time", waitTime, Duration.ZERO, MAX_WAIT);
        requireBetween("lease time", leaseTime, MIN_LEASE, MAX_LEASE);
        requireBetween("maximum hold time", maxHoldTime, MIN_LEASE, MAX_HOLD);
        requireBetween("minimum hold time", minHoldTime, Duration.ZERO, MAX_LEASE);
        requireBetween("lock-delay", lockDelay, Duration.ZERO, MAX_LOCK_DELAY);
        if (renew && leaseTime.compareTo(MIN_RENEWED_LEASE) < 0) {
            throw new IllegalArgumentException("lease time " + text(leaseTime)
                    + " is too short to renew: make it at least " + text(MIN_RENEWED_LEASE) + ", or turn renewal off");
        }
        if (renew && maxHoldTime.compareTo(leaseTime) < 0) {
            throw new IllegalArgumentException(
                    "maximum hold time " + text(maxHoldTime) + " is shorter than the lease time " + text(leaseTime)
                            + ": raise the maximum hold time, or shorten the lease");
        }
        // The usual maximum is nobody's choice, and many a job that is to run once a day takes less.
        if (renew && minHoldTime.compareTo(maxHoldTime) > 0 && !maxHoldTime.equals(USUAL_MAX_HOLD)) {
            throw new IllegalArgumentException(
                    "minimum hold time " + text(minHoldTime) + " is longer than the maximum hold time "
                            + text(maxHoldTime) + ": raise the maximum, or lower the minimum");
        }
    }

    /** Wait 5 s, lease 30 s, renewed, at most 1 h, no minimum hold, no lock-delay. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /**
     * How long a store keeps a key without renewal: lease time plus lock-delay, or the minimum hold time if longer.
     */
    public Duration timeToLive() {
        Duration extended = leaseTime.plus(lockDelay);
        return extended.compareTo(minHoldTime) < 0 ? minHoldTime : extended;
    }

    public LockOptions withWaitTime(Duration waitTime) {
        return new LockOptions(waitTime, leaseTime, renew, maxHoldTime, minHoldTime, lockDelay);
    }

    public LockOptions withLeaseTime(Duration leaseTime) {
        return new LockOptions(waitTime, leaseTime, renew, maxHoldTime, minHoldTime, lockDelay);
    }

    public LockOptions withRenew(boolean renew) {
        return new LockOptions(waitTime, leaseTime, renew, maxHoldTime, minHoldTime, lockDelay);
    }

    public LockOptions withMaxHoldTime(Duration maxHoldTime) {
        return new LockOptions(waitTime, leaseTime, renew, maxHoldTime, minHoldTime, lockDelay);
    }

    public LockOptions withMinHoldTime(Duration minHoldTime) {
        return new LockOptions(waitTime, leaseTime, renew, maxHoldTime, minHoldTime, lockDelay);
    }

    public LockOptions withLockDelay(Duration lockDelay) {
        return new LockOptions(waitTime, leaseTime, renew, maxHoldTime, minHoldTime, lockDelay);
    }

    /** A time as one writes it in a property: {@code 30s}, not {@code PT30S}. */
    public static String text(Duration time) {
        long nanos = time.toNanosPart();
        long seconds = time.toSeconds();
        if (nanos % 1_000_000 != 0) {
            return time.toString();
        } else if (nanos != 0) {
            return time.toMillis() + "ms";
        } else if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        return seconds % 3_600 == 0 ? seconds / 3_600 + "h" : seconds / 60 + "m";
    }

    /**
     * Requires a time to be in a range.
     *
     * @throws IllegalArgumentException if it is not; with a message that begins with what it is
     */
    public static void requireBetween(String what, Duration value, Duration least, Duration most) {
        Objects.requireNonNull(value, () -> what + " must not be null");
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(what + " " + text(value) + " is out of range: choose a value from "
                    + text(least) + " to " + text(most));
        }
    }

    /**
     * Requires a prefix of keys to be a word: not blank, without white space, control characters and those that the store needs
     * for itself.
     *
     * @throws IllegalArgumentException if it is not
     */
    public static void requirePrefix(String prefix, String reserved) {
        Objects.requireNonNull(prefix, "key prefix must not be null");
        if (prefix.isBlank()) {
            throw new IllegalArgumentException(
                    "key prefix \"" + prefix + "\" is blank: choose a short word, such as \"lock\"");
        }
        for (int at = 0; at < prefix.length(); at++) {
            char c = prefix.charAt(at);
            if (Character.isWhitespace(c) || Character.isISOControl(c) || reserved.indexOf(c) >= 0) {
                throw new IllegalArgumentException(
                        "key prefix \"" + prefix + "\" has white space, a control character or a character of \""
                                + reserved + "\" at index " + at + ": remove it");
            }
        }
    }
}
