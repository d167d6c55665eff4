package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockHold;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LossReason;
import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
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
 * One key that is held: the handle for its user, and the watchdog's item. All changes of standing are one
 * compare-and-set, so whoever sees "no longer held" first makes it final.
 */
final class HeldKey extends RenewedKey implements HeldLock, DueSet.Due {

    private static final AtomicReferenceFieldUpdater<HeldKey, Standing> STANDING =
            AtomicReferenceFieldUpdater.newUpdater(HeldKey.class, Standing.class, "standing");

    private static final AtomicReferenceFieldUpdater<HeldKey, @Nullable LossSignal> LOST =
            AtomicReferenceFieldUpdater.newUpdater(HeldKey.class, LossSignal.class, "lost");

    private volatile Standing standing;

    /** Made when somebody wants to be told. */
    private volatile @Nullable LossSignal lost;

    HeldKey(Engine engine, LeaseRequest request, Grant grant, KeyGates.Ticket ticket, String asker) {
        super(engine, request.options(), grant.lease(), ticket, asker, grant.since());
        this.standing = new Standing.Held(grant.since(), 0);
    }

    /** For people, who look at this moment at all that is held; empty if it is no longer held. */
    Optional<LockHold> look(long now) {
        Duration remaining = remaining();
        return standing instanceof Standing.Held held && !remaining.isZero()
                ? Optional.of(hold(now, remaining, held.renewals()))
                : Optional.empty();
    }

    // --- the handle ---

    @Override
    public boolean isHeld() {
        return !remaining().isZero();
    }

    @Override
    public Duration remaining() {
        while (standing instanceof Standing.Held held) {
            long left = validNanos(held.since());
            if (left > 0) {
                return Duration.ofNanos(left);
            }
            lose(held, LossReason.EXPIRED);
        }
        return Duration.ZERO;
    }

    @Override
    public void ensureHeld() {
        if (isHeld()) {
            return;
        }
        if (standing instanceof Standing.Lost gone) {
            throw new LockLostException(gone.loss());
        }
        throw new IllegalStateException(
                "lock '" + lease().key() + "' has been released: it no longer protects anything");
    }

    @Override
    public CompletionStage<LockLoss> lost() {
        return signal().stage();
    }

    @Override
    public void onLost(Consumer<LockLoss> action) {
        signal().onLost(action);
    }

    private LossSignal signal() {
        if (lost == null) {
            LOST.compareAndSet(this, null, new LossSignal(engine.callbacks()));
        }
        LossSignal signal = Objects.requireNonNull(lost);
        // The loss may have come before the signal was there to be given. Not told here: others have asked, too.
        if (standing instanceof Standing.Lost gone) {
            engine.callbacks().tellLoss(() -> signal.tell(gone.loss()));
        }
        return signal;
    }

    @Override
    public Release release() {
        return startRelease().join();
    }

    @Override
    public CompletionStage<Release> releaseAsync() {
        return startRelease().thenApplyAsync(release -> release, engine.callbacks());
    }

    @Override
    public void close() {
        release();
        if (standing instanceof Standing.Lost gone) {
            throw new LockLostException(gone.loss());
        }
    }

    CompletableFuture<Release> startRelease() {
        while (true) {
            Standing now = standing;
            if (now instanceof Standing.Releasing releasing) {
                return releasing.outcome();
            } else if (now instanceof Standing.Released released) {
                return CompletableFuture.completedFuture(released.outcome());
            } else if (now instanceof Standing.Lost) {
                return CompletableFuture.completedFuture(Release.NOT_OWNER);
            } else if (now instanceof Standing.Held held && isHeld()) {
                var releasing = new Standing.Releasing(new CompletableFuture<>(), held.since());
                if (STANDING.compareAndSet(this, now, releasing)) {
                    release(releasing);
                    return releasing.outcome();
                }
            }
        }
    }

    private void release(Standing.Releasing releasing) {
        engine.watchdog().releasing();
        engine.watchdog().remove(this);
        giveBack().thenAccept(answer -> {
            // An answer from after the end is none: the key was ours when the work was done, and has expired since.
            long keptNanos = validNanos(releasing.since()) + options.lockDelay().toNanos();
            boolean tooLate = answer == Release.NOT_OWNER && keptNanos <= 0;
            Release outcome = tooLate ? Release.UNKNOWN : answer;
            if (outcome == Release.NOT_OWNER) {
                LockLoss loss = loss(LossReason.NOT_OWNER, releasing.since());
                standing = new Standing.Lost(loss);
                ended(releasing, outcome);
                // Last, since it throws where no thread can be made.
                engine.callbacks().tellLoss(() -> announce(loss));
            } else {
                standing = new Standing.Released(outcome);
                publishReleased(outcome);
                ended(releasing, outcome);
            }
        });
    }

    private void ended(Standing.Releasing releasing, Release outcome) {
        leaveGate();
        engine.watchdog().released();
        releasing.outcome().complete(outcome);
    }

    // --- loss ---

    /** Declares the lock lost, unless it has ended already. */
    void lose(LossReason reason) {
        while (standing instanceof Standing.Held held && !lose(held, reason)) {
            // A renewal came in between; the verdict stands.
            Thread.onSpinWait();
        }
    }

    private boolean lose(Standing.Held held, LossReason reason) {
        LockLoss loss = loss(reason, held.since());
        if (!STANDING.compareAndSet(this, held, new Standing.Lost(loss))) {
            return false;
        }
        engine.watchdog().remove(this);
        // At once and not after the callbacks: the store still keeps others out.
        leaveGate();
        engine.callbacks().tellLoss(() -> announce(loss));
        return true;
    }

    private void announce(LockLoss loss) {
        log(loss);
        engine.listeners().publish(() -> new LockEvent.Lost(loss));
        LossSignal signal = lost;
        if (signal != null) {
            signal.tell(loss);
        }
        if (mayBeDeletedAfter(loss.reason())) {
            giveBack();
        }
    }

    /**
     * Others need not wait for the time to live once the holder knows of its loss; unless a lock-delay asks just
     * for that, or the client is closing and the holder may still be at work.
     */
    private boolean mayBeDeletedAfter(LossReason reason) {
        return (reason == LossReason.EXPIRED || reason == LossReason.MAX_HOLD_TIME)
                && options.lockDelay().isZero();
    }

    // --- renewal, driven by the watchdog ---

    @Override
    public long dueNanos() {
        long due = nextStep();
        if (standing instanceof Standing.Held held) {
            due = earlier(due, held.since().nanos() + engine.validityNanos(options));
        }
        return options.renew() ? earlier(due, maxHoldUntil()) : due;
    }

    /** Looks at the clock: the lock may have run out, or its renewal be due. True if it is to be renewed now. */
    boolean wantsRenewal() {
        if (!isHeld()) {
            return false;
        }
        long now = engine.ticker().nanos();
        if (options.renew() && now - maxHoldUntil() >= 0) {
            lose(LossReason.MAX_HOLD_TIME);
            return false;
        }
        if (isAnswerOverdue(now)) {
            retrySoon(now);
            return false;
        }
        return beginRenewal(now);
    }

    /**
     * Takes the store's answer to a renewal, however late: one that was sent at a known moment is good for the
     * whole lease from there, if the lock has not been given up in the meantime.
     */
    void answered(Renewal renewal, Moment sent) {
        switch (renewal) {
            case RENEWED -> extend(sent);
            case NOT_OWNER -> lose(LossReason.NOT_OWNER);
            case UNKNOWN -> {
                if (awaitsAnswer()) {
                    retrySoon(engine.ticker().nanos());
                    engine.watchdog().reconsider(this);
                }
            }
        }
    }

    /** Whether a renewal is under way for a lock that is still held. */
    boolean awaitsAnswer() {
        return isAnswerAwaited() && isHeld();
    }

    private void extend(Moment sent) {
        while (isHeld() && standing instanceof Standing.Held held) {
            if (held.since().nanos() - sent.nanos() >= 0) {
                return;
            }
            if (STANDING.compareAndSet(this, held, new Standing.Held(sent, held.renewals() + 1))) {
                extended(sent);
                publishRenewed(true);
                return;
            }
        }
    }

    private void retrySoon(long now) {
        planRetry(now);
        publishRenewed(false);
    }

    private static long earlier(long one, long other) {
        return one - other < 0 ? one : other;
    }

    @Override
    public String toString() {
        return "HeldLock[" + lease().key() + ", " + mode() + ", token " + lease().token() + ", "
                + standing.getClass().getSimpleName() + "]";
    }
}
