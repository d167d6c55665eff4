package io.distlock.engine;

import io.distlock.HeldLockInfo;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A granted lease and its renewal schedule: after a third of its time, and sooner after an unanswered try. One
 * thread at a time writes the renewal's fields (the watchdog's, or the one with the answer); any may read them. A
 * superclass, not a field, to save an object for each of thousands of held locks.
 */
abstract sealed class RenewedLease permits DefaultHeldLock {

    private static final Logger log = LoggerFactory.getLogger(DefaultHeldLock.class);

    final ClientContext context;
    final LockOptions options;
    private final Lease lease;
    private final KeyQueues.Ticket ticket;
    private final Asker asker;
    private final long grantedNanos;
    private final long grantedMillis;

    /** When to renew next or, while awaiting an answer, to stop waiting. Written only here, like the next field. */
    volatile long nextStep;

    volatile boolean awaitingAnswer;

    private volatile Duration timeToLive;

    /** From the grant on. Grows with extensions. */
    volatile Duration minHoldTime;

    RenewedLease(ClientContext context, LockOptions options, Grant grant, KeyQueues.Ticket ticket, Asker asker) {
        this.context = context;
        this.options = options;
        this.lease = grant.lease();
        this.ticket = ticket;
        this.asker = asker;
        this.grantedNanos = context.ticker().nanos();
        this.grantedMillis = context.ticker().wallMillis();
        this.nextStep = nextRenewal(grant.since());
        this.timeToLive = options.timeToLive();
        this.minHoldTime = options.minHoldTime();
    }

    final Lease lease() {
        return lease;
    }

    public final List<LockKey> keys() {
        return List.of(lease.key());
    }

    public final LockMode mode() {
        return lease.mode();
    }

    public final List<Sequencer> sequencers() {
        return List.of(new Sequencer(lease.key(), lease.mode(), lease.token()));
    }

    private Duration heldFor() {
        return context.since(grantedNanos);
    }

    final long maxHoldUntil() {
        return grantedNanos + options.maxHoldTime().toNanos();
    }

    final HeldLockInfo info(long now, Duration remaining, int renewals) {
        return new HeldLockInfo(
                lease.key(),
                lease.mode(),
                lease.token(),
                lease.owner(),
                Instant.ofEpochMilli(grantedMillis),
                ClientContext.between(grantedNanos, now),
                remaining,
                renewals,
                asker.thread());
    }

    // --- renewal ---

    /** How much earlier it may be renewed together with others. */
    public final long slackNanos() {
        return options.renew() && !awaitingAnswer ? RenewalSchedule.slack(options.leaseTime()) : 0;
    }

    final boolean beginRenewal(long now) {
        if (!options.renew() || awaitingAnswer || now - (nextStep - slackNanos()) < 0) {
            return false;
        }
        awaitingAnswer = true;
        nextStep = now + RenewalSchedule.longestTry(options.leaseTime());
        return true;
    }

    final boolean isAnswerOverdue(long now) {
        return awaitingAnswer && now - nextStep >= 0;
    }

    final void renewed(Moment since) {
        nextStep = nextRenewal(since);
        awaitingAnswer = false;
        publishRenewed(true);
    }

    final void notRenewed(long now) {
        awaitingAnswer = false;
        nextStep = now + RenewalSchedule.pauseAfterFailure(options.leaseTime());
        publishRenewed(false);
    }

    private long nextRenewal(Moment since) {
        return since.nanos()
                + RenewalSchedule.untilRenewal(
                        options.leaseTime(), context.random().get());
    }

    final void publishRenewed(boolean confirmed) {
        context.publish(name -> new LockEvent.Renewed(name, lease.key(), lease.mode(), lease.token(), confirmed));
    }

    // --- the end ---

    /** The key stays taken for the rest of the minimum hold time. */
    final CompletableFuture<Release> releaseAtStore() {
        return releaseAtStore(minHoldTime);
    }

    final CompletableFuture<Release> releaseAtStore(Duration minHoldTime) {
        return context.release(lease, timeToLive, () -> minHoldTime.minus(heldFor()));
    }

    /** The store is about to be asked to keep the key for this long. */
    final synchronized void mayLast(Duration time) {
        timeToLive = longer(time, timeToLive);
    }

    final synchronized void lastAtLeast(Duration time) {
        minHoldTime = longer(heldFor().plus(time), minHoldTime);
    }

    static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    final void leaveQueue() {
        context.queues().leave(ticket);
    }

    final void publishReleased(Release outcome) {
        context.publish(name -> new LockEvent.Released(name, lease.key(), mode(), lease.token(), heldFor(), outcome));
    }

    final LockLoss loss(LockLoss.Reason reason, LockState.Held last) {
        Duration sinceRenewal = Duration.ofNanos(last.elapsedNanos(context.ticker()));
        return new LockLoss(lease.key(), lease.mode(), lease.token(), reason, heldFor(), sinceRenewal);
    }

    final void log(LockLoss loss) {
        asker.inTrace(() -> write(loss));
    }

    private static void write(LockLoss loss) {
        // Closing a client may end thousands of locks, and one warning covers them all.
        log.atLevel(loss.reason() == LockLoss.Reason.CLIENT_CLOSED ? Level.DEBUG : Level.WARN)
                .addKeyValue("lock", loss.key().name())
                .addKeyValue("key", loss.key().key().orElse(""))
                .addKeyValue("token", loss.token().value())
                .addKeyValue("heldMillis", loss.heldFor().toMillis())
                .addKeyValue("sinceRenewalMillis", loss.sinceRenewal().toMillis())
                .addKeyValue("reason", loss.reason())
                .log(
                        "Lost lock '{}' (token {}) after {} ms, {} ms after the last request that the store confirmed: {}",
                        loss.key(),
                        loss.token(),
                        loss.heldFor().toMillis(),
                        loss.sinceRenewal().toMillis(),
                        loss.reason().explanation());
    }
}
