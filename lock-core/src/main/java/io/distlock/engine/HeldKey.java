package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LossReason;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.support.DueSet;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One key that is held: the handle for its user, and the watchdog's item. All changes of standing are one
 * compare-and-set, so whoever sees "no longer held" first makes it final.
 */
final class HeldKey implements HeldLock, DueSet.Due {

    private static final Logger log = LoggerFactory.getLogger(HeldKey.class);

    private static final AtomicReferenceFieldUpdater<HeldKey, Standing> STANDING =
            AtomicReferenceFieldUpdater.newUpdater(HeldKey.class, Standing.class, "standing");

    @SuppressWarnings("rawtypes") // the updater takes a raw class
    private static final AtomicReferenceFieldUpdater<HeldKey, @Nullable CompletableFuture> LOST =
            AtomicReferenceFieldUpdater.newUpdater(HeldKey.class, CompletableFuture.class, "lost");

    private final Engine engine;
    private final LockOptions options;
    private final Lease lease;
    private final KeyGates.Ticket ticket;
    private final long grantedNanos;

    private volatile Standing standing;
    private volatile @Nullable CompletableFuture<LockLoss> lost;

    /** When to renew next or, while an answer is awaited, until when to wait for it. */
    private volatile long nextStep;

    private volatile boolean awaitingAnswer;

    HeldKey(Engine engine, LeaseRequest request, Grant grant, KeyGates.Ticket ticket) {
        this.engine = engine;
        this.options = request.options();
        this.lease = grant.lease();
        this.ticket = ticket;
        this.grantedNanos = engine.ticker().nanos();
        this.standing = new Standing.Held(grant.since());
        this.nextStep = nextRenewal(grant.since());
    }

    Lease lease() {
        return lease;
    }

    // --- the handle ---

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
    public boolean isHeld() {
        return !remaining().isZero();
    }

    @Override
    public Duration remaining() {
        while (standing instanceof Standing.Held held) {
            long left = engine.validityNanos(options) - held.since().elapsedNanos(engine.ticker());
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
        throw new IllegalStateException("lock '" + lease.key() + "' has been released: it no longer protects anything");
    }

    @Override
    public CompletionStage<LockLoss> lost() {
        CompletableFuture<LockLoss> signal = lost;
        if (signal == null) {
            LOST.compareAndSet(this, null, new CompletableFuture<LockLoss>());
            signal = Objects.requireNonNull(lost);
        }
        // The loss may have come before the signal was there to be given.
        if (standing instanceof Standing.Lost gone) {
            signal.complete(gone.loss());
        }
        return signal.minimalCompletionStage();
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
            } else if (isHeld()) {
                var releasing = new Standing.Releasing(new CompletableFuture<>());
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
        giveBack().thenAccept(outcome -> {
            if (outcome == Release.NOT_OWNER) {
                LockLoss loss = loss(LossReason.NOT_OWNER);
                standing = new Standing.Lost(loss);
                engine.callBack(() -> announce(loss));
            } else {
                standing = new Standing.Released(outcome);
                engine.listeners()
                        .publish(() -> new LockEvent.Released(lease.key(), mode(), lease.token(), heldFor(), outcome));
            }
            engine.gates().leave(ticket);
            engine.watchdog().released();
            releasing.outcome().complete(outcome);
        });
    }

    private CompletableFuture<Release> giveBack() {
        Duration timeToLive = options.leaseTime().plus(options.lockDelay());
        return engine.giveBack(lease, timeToLive, () -> options.minHoldTime().minus(heldFor()));
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
        LockLoss loss = loss(reason);
        if (!STANDING.compareAndSet(this, held, new Standing.Lost(loss))) {
            return false;
        }
        engine.watchdog().remove(this);
        // At once and not after the callbacks, which may block: the store still keeps others out.
        engine.gates().leave(ticket);
        engine.callBack(() -> announce(loss));
        return true;
    }

    private void announce(LockLoss loss) {
        // Of those that end with their client there may be thousands; whoever closes it warns of all of them at once.
        log.atLevel(loss.reason() == LossReason.CLIENT_CLOSED ? Level.DEBUG : Level.WARN)
                .log(
                        "Lost lock '{}' (token {}) after {} ms: {}",
                        loss.key(),
                        loss.token(),
                        loss.heldFor().toMillis(),
                        loss.reason().explanation());
        engine.listeners().publish(() -> new LockEvent.Lost(loss));
        CompletableFuture<LockLoss> signal = lost;
        if (signal != null) {
            signal.complete(loss);
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

    private LockLoss loss(LossReason reason) {
        return new LockLoss(lease.key(), lease.mode(), lease.token(), reason, heldFor());
    }

    private Duration heldFor() {
        return engine.since(grantedNanos);
    }

    // --- renewal, driven by the watchdog ---

    @Override
    public long dueNanos() {
        long due = nextStep;
        if (standing instanceof Standing.Held held) {
            due = earlier(due, held.since().nanos() + engine.validityNanos(options));
        }
        return options.renew() ? earlier(due, maxHoldUntil()) : due;
    }

    @Override
    public long slackNanos() {
        return options.renew() && !awaitingAnswer ? options.leaseTime().toNanos() / 60 : 0;
    }

    /** Looks at the clock: the lock may have run out, or its renewal be due. True if it is to be renewed now. */
    boolean wantsRenewal() {
        if (!isHeld()) {
            return false;
        }
        long now = engine.ticker().nanos();
        if (!options.renew()) {
            return false;
        }
        if (now - maxHoldUntil() >= 0) {
            lose(LossReason.MAX_HOLD_TIME);
            return false;
        }
        if (awaitingAnswer) {
            if (now - nextStep >= 0) {
                retrySoon(now);
            }
            return false;
        }
        if (now - (nextStep - slackNanos()) < 0) {
            return false;
        }
        awaitingAnswer = true;
        nextStep = now + Math.min(options.leaseTime().toNanos() / 6, 2_000_000_000L);
        return true;
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
        return awaitingAnswer && isHeld();
    }

    private void extend(Moment sent) {
        while (isHeld() && standing instanceof Standing.Held held) {
            if (held.since().nanos() - sent.nanos() >= 0) {
                return;
            }
            if (STANDING.compareAndSet(this, held, new Standing.Held(sent))) {
                nextStep = nextRenewal(sent);
                awaitingAnswer = false;
                publishRenewed(true);
                return;
            }
        }
    }

    private void retrySoon(long now) {
        awaitingAnswer = false;
        nextStep = now + options.leaseTime().toNanos() / 20;
        publishRenewed(false);
    }

    private void publishRenewed(boolean confirmed) {
        engine.listeners().publish(() -> new LockEvent.Renewed(lease.key(), lease.mode(), lease.token(), confirmed));
    }

    /** A third of the lease after it was last extended, give or take 5 %, so that locks do not march in step. */
    private long nextRenewal(Moment since) {
        long third = options.leaseTime().toNanos() / 3;
        if (!options.renew()) {
            return since.nanos() + options.leaseTime().toNanos();
        }
        long spread = third / 20;
        return since.nanos() + third + ThreadLocalRandom.current().nextLong(-spread, spread + 1);
    }

    private long maxHoldUntil() {
        return grantedNanos + options.maxHoldTime().toNanos();
    }

    private static long earlier(long one, long other) {
        return one - other < 0 ? one : other;
    }

    @Override
    public String toString() {
        return "HeldLock[" + lease.key() + ", " + lease.mode() + ", token " + lease.token() + ", "
                + standing.getClass().getSimpleName() + "]";
    }
}
