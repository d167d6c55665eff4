package io.distlock.engine;

import io.distlock.LockOptions;
import io.distlock.spi.Moment;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When a lease is renewed, in nanoseconds. It begins after a third, and a try without an answer ends in time for two more
 * before the lease does. Pure: what happens makes a new schedule.
 *
 * @param step when to renew next or, while awaiting an answer, to stop waiting
 */
record RenewalSchedule(Duration lease, boolean renews, long step, boolean awaitsAnswer) {

    private static final long LONGEST_TRY = 2_000_000_000;

    static RenewalSchedule of(LockOptions options, Moment granted, RandomGenerator random) {
        return new RenewalSchedule(options.leaseTime(), options.renew(), 0, false).renewed(granted, random);
    }

    RenewalSchedule renewed(Moment since, RandomGenerator random) {
        return new RenewalSchedule(lease, renews, since.nanos() + untilRenewal(lease, random), false);
    }

    RenewalSchedule asked(long now) {
        return new RenewalSchedule(lease, renews, now + longestTry(lease), true);
    }

    RenewalSchedule failed(long now) {
        return new RenewalSchedule(lease, renews, now + pauseAfterFailure(lease), false);
    }

    /** The first of the next step and these two ends; a lease that is not renewed has only its own. */
    long next(long validUntil, long maxHoldUntil) {
        return renews ? earlier(validUntil, earlier(step, maxHoldUntil)) : validUntil;
    }

    private static long earlier(long one, long other) {
        return one - other < 0 ? one : other;
    }

    boolean isAnswerOverdue(long now) {
        return awaitsAnswer && now - step >= 0;
    }

    boolean isDue(long now) {
        return renews && !awaitsAnswer && now - (step - slackNanos()) >= 0;
    }

    long slackNanos() {
        return renews && !awaitsAnswer ? slack(lease) : 0;
    }

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
