package io.distlock.engine;

import io.distlock.LockOptions;
import io.distlock.spi.Moment;
import java.util.concurrent.ThreadLocalRandom;

/**
 * When a lease is to be renewed next: after a third of its time, and soon again after a try that was not answered.
 * Written by one thread at a time (the watchdog's, or whichever brings the answer), read by any.
 */
final class RenewalPlan {

    private static final long LONGEST_TRY = 2_000_000_000L;

    private final LockOptions options;

    /** When to renew next or, while an answer is awaited, until when to wait for it. */
    private volatile long nextStep;

    private volatile boolean awaitingAnswer;

    /**
     * @param since the lease is counted from here
     */
    RenewalPlan(LockOptions options, Moment since) {
        this.options = options;
        this.nextStep = nextRenewal(since);
    }

    long nextStep() {
        return nextStep;
    }

    boolean awaitsAnswer() {
        return awaitingAnswer;
    }

    /** How much earlier it may be renewed when others are renewed anyway. */
    long slackNanos() {
        return options.renew() && !awaitingAnswer ? options.leaseTime().toNanos() / 60 : 0;
    }

    /** True if a renewal is due, which is under way from now on. */
    boolean begin(long now) {
        if (!options.renew() || awaitingAnswer || now - (nextStep - slackNanos()) < 0) {
            return false;
        }
        awaitingAnswer = true;
        nextStep = now + Math.min(options.leaseTime().toNanos() / 6, LONGEST_TRY);
        return true;
    }

    boolean isAnswerOverdue(long now) {
        return awaitingAnswer && now - nextStep >= 0;
    }

    void extended(Moment since) {
        nextStep = nextRenewal(since);
        awaitingAnswer = false;
    }

    void retrySoon(long now) {
        awaitingAnswer = false;
        nextStep = now + options.leaseTime().toNanos() / 20;
    }

    /** A third of the lease after it was last extended, give or take 5 %, so that locks do not march in step. */
    private long nextRenewal(Moment since) {
        if (!options.renew()) {
            return since.nanos() + options.leaseTime().toNanos();
        }
        long third = options.leaseTime().toNanos() / 3;
        long spread = third / 20;
        return since.nanos() + third + ThreadLocalRandom.current().nextLong(-spread, spread + 1);
    }
}
