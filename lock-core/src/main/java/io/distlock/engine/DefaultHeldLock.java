package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.LockEvent;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.support.DueSet;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One held key, as its user and the watchdog see it. Each state change is one compare-and-set, so the first thread that
 * sees "no longer held" makes it final.
 */
final class DefaultHeldLock extends RenewedLease implements HeldLock, DueSet.Due {

    private static final AtomicReferenceFieldUpdater<DefaultHeldLock, LockState> STATE =
            AtomicReferenceFieldUpdater.newUpdater(DefaultHeldLock.class, LockState.class, "state");

    private static final AtomicReferenceFieldUpdater<DefaultHeldLock, LockState.@Nullable LossSignal> LOST =
            AtomicReferenceFieldUpdater.newUpdater(DefaultHeldLock.class, LockState.LossSignal.class, "lost");

    private volatile LockState state;
    private volatile LockState.@Nullable LossSignal lost;

    DefaultHeldLock(ClientContext context, LockOptions options, Grant grant, KeyQueues.Ticket ticket, Asker asker) {
        super(context, options, grant, ticket, asker);
        this.state = LockState.Held.since(grant.since(), context.validityNanos(options.leaseTime()), 0);
    }

    Optional<HeldLockInfo> info(long now) {
        Duration left = remaining();
        return state instanceof LockState.Held held ? Optional.of(info(now, left, held.renewals())) : Optional.empty();
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
        while (state instanceof LockState.Held held) {
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
        if (state instanceof LockState.Lost gone) {
            throw new LockLostException(gone.loss());
        }
        throw new IllegalStateException(
                "lock '" + lease().key() + "' has been released: it no longer protects anything");
    }

    @Override
    public Duration extend(Duration leaseTime, Duration minHoldTime) {
        LeaseExtension.start(this, leaseTime, minHoldTime).run();
        return remaining();
    }

    @Override
    public CompletionStage<LockLoss> lost() {
        return signal().stage();
    }

    @Override
    public void onLost(Consumer<LockLoss> action) {
        signal().onLost(action);
    }

    private LockState.LossSignal signal() {
        if (lost == null) {
            LOST.compareAndSet(this, null, new LockState.LossSignal(context.callbacks()));
        }
        LockState.LossSignal signal = Objects.requireNonNull(lost);
        // The loss may have preceded the signal. Not fired on this thread, since others may also have registered.
        if (state instanceof LockState.Lost gone) {
            context.callbacks().executeLoss(() -> signal.fire(gone.loss()));
        }
        return signal;
    }

    @Override
    public Release release() {
        return startRelease().join();
    }

    @Override
    public CompletionStage<Release> releaseAsync() {
        return startRelease().thenApplyAsync(release -> release, context.callbacks());
    }

    @Override
    public void close() {
        release();
        if (state instanceof LockState.Lost gone) {
            throw new LockLostException(gone.loss());
        }
    }

    CompletableFuture<Release> startRelease() {
        return startRelease(minHoldTime);
    }

    CompletableFuture<Release> startRelease(Duration minHoldTime) {
        while (isHeld() && state instanceof LockState.Held held) {
            var end = new LockState.Released(new CompletableFuture<>(), held);
            if (STATE.compareAndSet(this, held, end)) {
                context.watchdog().remove(this);
                releaseAtStore(minHoldTime).thenAccept(answer -> released(end, answer));
                return end.outcome();
            }
        }
        return state instanceof LockState.Released end
                ? end.outcome()
                : CompletableFuture.completedFuture(Release.NOT_OWNER);
    }

    private void released(LockState.Released end, Release answer) {
        // After expiry the answer proves nothing: the key was ours during the work, and has expired since.
        long keptNanos =
                end.last().leftNanos(context.ticker()) + options.lockDelay().toNanos();
        boolean tooLate = answer == Release.NOT_OWNER && keptNanos <= 0;
        Release outcome = tooLate ? Release.UNKNOWN : answer;
        if (outcome == Release.NOT_OWNER) {
            LockLoss loss = loss(LockLoss.Reason.NOT_OWNER, end.last());
            state = new LockState.Lost(loss);
            context.callbacks().executeLoss(() -> announce(loss));
        } else {
            publishReleased(outcome);
        }
        ended(end, outcome);
    }

    private void ended(LockState.Released end, Release outcome) {
        leaveQueue();
        context.openWork().end();
        end.outcome().complete(outcome);
    }

    // --- loss ---

    void lose(LockLoss.Reason reason) {
        // Again if a renewal intervened: the lock is lost anyway.
        while (state instanceof LockState.Held held && !lose(held, reason)) {
            Thread.onSpinWait();
        }
    }

    private boolean lose(LockState.Held held, LockLoss.Reason reason) {
        LockLoss loss = loss(reason, held);
        if (!STATE.compareAndSet(this, held, new LockState.Lost(loss))) {
            return false;
        }
        context.watchdog().remove(this);
        // Now, not after the callbacks: the store still keeps others out.
        leaveQueue();
        context.callbacks().executeLoss(() -> announce(loss));
        // Not before: closing waits for what has been announced by then.
        context.openWork().end();
        return true;
    }

    /** Takes it away from its user, who is notified before the store can grant it to another. */
    CompletableFuture<Release> forceRelease() {
        lose(LockLoss.Reason.NOT_OWNER);
        return releaseAtStore(Duration.ZERO);
    }

    private void announce(LockLoss loss) {
        log(loss);
        context.publish(name -> new LockEvent.Lost(name, loss));
        LockState.LossSignal signal = lost;
        if (signal != null) {
            signal.fire(loss);
        }
        if (mayBeDeletedAfter(loss.reason())) {
            releaseAtStore();
        }
    }

    /**
     * Once the holder knows of its loss, others need not wait for the time to live, unless a lock-delay requires it, or the
     * client is closing and the holder may still be working.
     */
    private boolean mayBeDeletedAfter(LockLoss.Reason reason) {
        return (reason == LockLoss.Reason.EXPIRED || reason == LockLoss.Reason.MAX_HOLD_TIME)
                && options.lockDelay().isZero();
    }

    // --- renewal, driven by the watchdog ---

    @Override
    public long dueNanos() {
        long due = state instanceof LockState.Held held ? held.endNanos() : nextStep;
        return options.renew() ? earlier(due, earlier(nextStep, maxHoldUntil())) : due;
    }

    /** Checks the clock. True if the lock is still held and must be renewed now. */
    boolean wantsRenewal() {
        if (!isHeld()) {
            return false;
        }
        long now = context.ticker().nanos();
        if (options.renew() && now - maxHoldUntil() >= 0) {
            lose(LockLoss.Reason.MAX_HOLD_TIME);
            return false;
        }
        if (isAnswerOverdue(now)) {
            notRenewed(now);
            return false;
        }
        return beginRenewal(now);
    }

    void answered(Renewal renewal, Moment sent) {
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

    /** Whether a renewal is under way for a lock that is still held. */
    boolean awaitsAnswer() {
        return awaitingAnswer && isHeld();
    }

    /** Never shortens it: answers may arrive in any order. */
    private void extend(Moment sent, long validNanos) {
        while (isHeld() && state instanceof LockState.Held held) {
            var extended = LockState.Held.since(sent, validNanos, held.renewals() + 1);
            if (held.leftNanos(context.ticker()) >= extended.leftNanos(context.ticker())) {
                return;
            }
            if (STATE.compareAndSet(this, held, extended)) {
                renewed(sent);
                return;
            }
        }
    }

    private static long earlier(long one, long other) {
        return one - other < 0 ? one : other;
    }

    @Override
    public String toString() {
        return "HeldLock[" + lease().key() + ", " + mode() + ", token " + lease().token() + ", "
                + state.getClass().getSimpleName() + "]";
    }
}
