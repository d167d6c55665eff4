package io.distlock.engine;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When a lease is renewed, in nanoseconds. It begins after a third, and a try without an answer ends in time for two more
 * before the lease does. Pure.
 */
final class RenewalSchedule {

    private static final long LONGEST_TRY = 2_000_000_000;

    private RenewalSchedule() {}

    /** A third of the lease after it was last extended, ±5 %, so that locks do not renew in step. */
    static long untilRenewal(Duration lease, RandomGenerator random) {
        long third = lease.toNanos() / 3;
        long spread = third / 20;
        return third + random.nextLong(-spread, spread + 1);
    }

    /** How much earlier it may be renewed together with others. */
    static long slack(Duration lease) {
        return lease.toNanos() / 60;
    }

    /** How long a try waits for its answer: a sixth of the lease. */
    static long longestTry(Duration lease) {
        return Math.min(lease.toNanos() / 6, LONGEST_TRY);
    }

    /** A twentieth of the lease, between a try without an answer and the next. */
    static long pauseAfterFailure(Duration lease) {
        return lease.toNanos() / 20;
    }
}
