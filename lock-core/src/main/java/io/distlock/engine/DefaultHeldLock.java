package io.distlock.engine;

import io.distlock.HeldLockInfo;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.engine.KeyQueues.Ticket;
import io.distlock.engine.LockState.Held;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One held key, as its user and the watchdog see it. Each state change is one compare-and-set, so the first thread that
 * sees "no longer held" makes it final.
 */
final class DefaultHeldLock extends EngineLock implements Watchdog.WatchedLock {

    private static final Logger log = LoggerFactory.getLogger(DefaultHeldLock.class);

    final ClientContext context;
    final LockOptions options;
    private final Lease lease;
    private final Ticket ticket;
    private final Asker asker;
    private final Moment granted;
    private final AtomicReference<LockState> state;
    private final LockState.LossSignal lost;

    /** One thread at a time writes it: the watchdog's, or the one with the answer. */
    private volatile RenewalSchedule schedule;

    private volatile Duration timeToLive;

    /** From the grant on. Grows with extensions. */
    private volatile Duration minHoldTime;

    DefaultHeldLock(ClientContext context, LockOptions options, Grant grant, Ticket ticket, Asker asker, int permit) {
        super(context.callbacks(), permit);
        this.context = context;
        this.options = options;
        this.lease = grant.lease();
        this.ticket = ticket;
        this.asker = asker;
        this.granted = context.ticker().now();
        this.state = new AtomicReference<>(Held.since(grant.since(), context.validityNanos(options.leaseTime()), 0));
        this.lost = new LockState.LossSignal(context.callbacks());
        this.schedule =
                RenewalSchedule.of(options, grant.since(), context.random().get());
        this.timeToLive = options.timeToLive();
        this.minHoldTime = options.minHoldTime();
    }

    @Override
    public Lease lease() {
        return lease;
    }

    @Override
    public List<LockKey> keys() {
        return List.of(lease.key());
    }

    @Override
    public LockMode mode() {
        return lease.mode();
    }

    @Override
    public List<Sequencer> sequencers() {
        return List.of(new Sequencer(lease.key(), lease.mode(), lease.token()));
    }

    @Override
    public Optional<HeldLockInfo> info(long now) {
        Duration left = remaining();
        return state.get() instanceof Held held
                ? Optional.of(new HeldLockInfo(
                        lease.key(),
                        permit(),
                        lease.mode(),
                        lease.token(),
                        lease.owner(),
                        Instant.ofEpochMilli(granted.wallMillis()),
                        ClientContext.between(granted.nanos(), now),
                        left,
                        held.renewals(),
                        asker.thread()))
                : Optional.empty();
    }

    private Duration heldFor() {
        return context.since(granted.nanos());
    }

    @Override
    public boolean isHeld() {
        return remainingNanos() > 0;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(remainingNanos());
    }

    private long remainingNanos() {
        while (state.get() instanceof Held held) {
            long left = held.leftNanos(context.ticker());
            if (left > 0) {
                return left;
            }
            lose(held, LockLoss.Reason.EXPIRED);
        }
        return 0;
    }

    @Override
    public void ensureHeld() {
        if (isHeld()) {
            return;
        }
        state.get().throwIfLost();
        throw new IllegalStateException("lock '" + lease.key() + "' has been released: it no longer protects anything");
    }

    @Override
    public CompletionStage<LockLoss> lost() {
        return lost.stage();
    }

    @Override
    public void onLost(Consumer<LockLoss> action) {
        lost.onLost(action);
    }

    // --- the end ---

    @Override
    public Release release() {
        return startRelease(minHoldTime).join();
    }

    @Override
    public void close() {
        startRelease(minHoldTime).join();
        state.get().throwIfLost();
    }

    @Override
    CompletableFuture<Release> startRelease() {
        return startRelease(minHoldTime);
    }

    @Override
    CompletableFuture<Release> giveBack() {
        return startRelease(Duration.ZERO);
    }

    /** The key stays taken for the rest of the minimum hold time. */
    private CompletableFuture<Release> startRelease(Duration minHoldTime) {
        while (isHeld() && state.get() instanceof Held held) {
            var end = new LockState.Released(new CompletableFuture<>(), held);
            if (state.compareAndSet(held, end)) {
                context.watchdog().remove(this);
                context.release(lease, timeToLive, () -> minHoldTime.minus(heldFor()))
                        .thenAccept(answer -> released(end, answer));
                return end.outcome();
            }
        }
        return state.get() instanceof LockState.Released end
                ? end.outcome()
                : CompletableFuture.completedFuture(Release.NOT_OWNER);
    }

    private void released(LockState.Released end, Release answer) {
        Release outcome = end.judged(answer, context.ticker(), options.lockDelay());
        if (outcome == Release.NOT_OWNER) {
            LockState.Lost gone = lost(LockLoss.Reason.NOT_OWNER, end.last());
            state.set(gone);
            context.callbacks().executeLoss(() -> announce(gone));
        } else {
            context.publish(
                    name -> new LockEvent.Released(name, lease.key(), mode(), lease.token(), heldFor(), outcome));
        }
        context.queues().leave(ticket);
        context.openWork().end();
        end.outcome().complete(outcome);
    }

    @Override
    public void lose(LockLoss.Reason reason) {
        // Again if a renewal intervened: the lock is lost anyway.
        while (state.get() instanceof Held held && !lose(held, reason)) {
            Thread.onSpinWait();
        }
    }

    private boolean lose(Held held, LockLoss.Reason reason) {
        LockState.Lost gone = lost(reason, held);
        if (!state.compareAndSet(held, gone)) {
            return false;
        }
        context.watchdog().remove(this);
        // Now, not after the callbacks: the store still keeps others out.
        context.queues().leave(ticket);
        context.callbacks().executeLoss(() -> announce(gone));
        // Not before: closing waits for what has been announced by then.
        context.openWork().end();
        return true;
    }

    private LockState.Lost lost(LockLoss.Reason reason, Held last) {
        Duration sinceRenewal = Duration.ofNanos(last.elapsedNanos(context.ticker()));
        return new LockState.Lost(
                new LockLoss(lease.key(), lease.mode(), lease.token(), reason, heldFor(), sinceRenewal));
    }

    @Override
    public CompletableFuture<Release> forceRelease() {
        lose(LockLoss.Reason.NOT_OWNER);
        return context.release(lease, timeToLive, () -> Duration.ZERO);
    }

    private void announce(LockState.Lost gone) {
        context.publish(name -> new LockEvent.Lost(name, gone.loss()));
        lost.fire(gone.loss());
        if (gone.mayBeDeleted(options.lockDelay())) {
            context.release(lease, timeToLive, () -> minHoldTime.minus(heldFor()));
        }
        // Last: an appender that throws must not keep the loss from its holder.
        asker.inTrace(() -> gone.writeTo(log));
    }

    @Override
    Runnable startExtension(Duration leaseTime, Duration minHoldTime) {
        return LeaseExtension.start(this, leaseTime, minHoldTime);
    }

    long maxHoldUntil() {
        return granted.nanos() + options.maxHoldTime().toNanos();
    }

    @Override
    public long dueNanos() {
        return state.get() instanceof Held held ? schedule.next(held.endNanos(), maxHoldUntil()) : schedule.step();
    }

    @Override
    public long slackNanos() {
        return schedule.slackNanos();
    }

    @Override
    public boolean wantsRenewal() {
        if (!isHeld()) {
            return false;
        }
        long now = context.ticker().nanos();
        if (options.renew() && now - maxHoldUntil() >= 0) {
            lose(LockLoss.Reason.MAX_HOLD_TIME);
        } else if (schedule.isAnswerOverdue(now)) {
            notRenewed(now);
        } else if (schedule.isDue(now)) {
            schedule = schedule.asked(now);
            return true;
        }
        return false;
    }

    @Override
    public boolean awaitsAnswer() {
        return schedule.awaitsAnswer() && isHeld();
    }

    @Override
    public void answered(Renewal renewal, Moment sent) {
        answered(renewal, sent, context.validityNanos(options.leaseTime()));
    }

    /**
     * Applies the store's answer, however late: the lease runs from when the request was sent, unless the lock has ended
     * meanwhile.
     */
    void answered(Renewal renewal, Moment sent, long validNanos) {
        switch (renewal) {
            case RENEWED -> extend(sent, validNanos);
            case NOT_OWNER -> lose(LockLoss.Reason.NOT_OWNER);
            case UNKNOWN -> {
                if (awaitsAnswer()) {
                    notRenewed(context.ticker().nanos());
                    context.watchdog().reconsider(this);
                }
            }
        }
    }

    /** Never shortens it: answers may arrive in any order. */
    private void extend(Moment sent, long validNanos) {
        while (isHeld() && state.get() instanceof Held held) {
            var extended = Held.since(sent, validNanos, held.renewals() + 1);
            if (held.leftNanos(context.ticker()) >= extended.leftNanos(context.ticker())) {
                return;
            }
            if (state.compareAndSet(held, extended)) {
                schedule = schedule.renewed(sent, context.random().get());
                publishRenewed(true);
                return;
            }
        }
    }

    private void notRenewed(long now) {
        schedule = schedule.failed(now);
        publishRenewed(false);
    }

    void publishRenewed(boolean confirmed) {
        context.publish(name -> new LockEvent.Renewed(name, lease.key(), lease.mode(), lease.token(), confirmed));
    }

    /** The store is about to be asked to keep the key for this long. */
    synchronized void mayLast(Duration time) {
        timeToLive = LeaseExtension.longer(time, timeToLive);
    }

    synchronized void lastAtLeast(Duration time) {
        minHoldTime = LeaseExtension.longer(heldFor().plus(time), minHoldTime);
    }

    @Override
    public String toString() {
        return "HeldLock[" + lease.key() + ", " + mode() + ", token " + lease.token() + ", "
                + state.get().getClass().getSimpleName() + "]";
    }
}
