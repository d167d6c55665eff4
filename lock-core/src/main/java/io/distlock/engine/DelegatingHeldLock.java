package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.Sequencer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Delegates all but the release to another lock. Thread-safe. */
public abstract class DelegatingHeldLock extends EngineLock {

    protected final HeldLock target;

    protected DelegatingHeldLock(HeldLock target) {
        super(target instanceof EngineLock known ? known.callbacks : THERE);
        this.target = target;
    }

    @Override
    public List<LockKey> keys() {
        return target.keys();
    }

    @Override
    public LockMode mode() {
        return target.mode();
    }

    @Override
    public List<Sequencer> sequencers() {
        return target.sequencers();
    }

    @Override
    public int permit() {
        return target.permit();
    }

    @Override
    public boolean isHeld() {
        return target.isHeld();
    }

    @Override
    public Duration remaining() {
        return target.remaining();
    }

    @Override
    public void ensureHeld() {
        target.ensureHeld();
    }

    @Override
    final Runnable startExtension(Duration leaseTime, Duration minHoldTime) {
        return target instanceof EngineLock known
                ? known.startExtension(leaseTime, minHoldTime)
                : () -> target.extend(leaseTime, minHoldTime);
    }

    @Override
    public abstract CompletionStage<Release> releaseAsync();

    @Override
    CompletableFuture<Release> startRelease() {
        return releaseAsync().toCompletableFuture();
    }

    /** None is granted by the engine: it is given to a caller first. */
    @Override
    final CompletableFuture<Release> giveBack() {
        return startRelease();
    }

    @Override
    public CompletionStage<LockLoss> lost() {
        return target.lost();
    }

    @Override
    public void onLost(Consumer<LockLoss> action) {
        target.onLost(action);
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
