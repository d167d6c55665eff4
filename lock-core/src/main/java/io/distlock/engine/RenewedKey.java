package io.distlock.engine;

import io.distlock.LockOptions;
import io.distlock.spi.Lease;
import io.distlock.spi.Moment;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A key and when its lease is to be renewed next: after a third of its time, and soon again after a try that was not
 * answered. Written by one thread at a time (the watchdog's, or whichever brings the answer), read by any. Above
 * {@link HeldKey} for the reason that {@link GrantedKey} is.
 */
abstract sealed class RenewedKey extends GrantedKey permits HeldKey {

    private static final long LONGEST_TRY = 2_000_000_000L;

    /** When to renew next or, while an answer is awaited, until when to wait for it. */
    private volatile long nextStep;

    private volatile boolean awaitingAnswer;

    /**
     * @param since the lease is counted from here
     */
    RenewedKey(Engine engine, LockOptions options, Lease lease, KeyGates.Ticket ticket, String asker, Moment since) {
        super(engine, options, lease, ticket, asker);
        this.nextStep = nextRenewal(since);
    }

    final long nextStep() {
        return nextStep;
    }

    final boolean isAnswerAwaited() {
        return awaitingAnswer;
    }

    /** How much earlier it may be renewed when others are renewed anyway. */
    public final long slackNanos() {
        return options.renew() && !awaitingAnswer ? options.leaseTime().toNanos() / 60 : 0;
    }

    /** True if a renewal is due, which is under way from now on. */
    final boolean beginRenewal(long now) {
        if (!options.renew() || awaitingAnswer || now - (nextStep - slackNanos()) < 0) {
            return false;
        }
        awaitingAnswer = true;
        nextStep = now + Math.min(options.leaseTime().toNanos() / 6, LONGEST_TRY);
        return true;
    }

    final boolean isAnswerOverdue(long now) {
        return awaitingAnswer && now - nextStep >= 0;
    }

    final void extended(Moment since) {
        nextStep = nextRenewal(since);
        awaitingAnswer = false;
    }

    final void planRetry(long now) {
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
