package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Delegates all but the release to another lock. Thread-safe. */
public abstract class DelegatingHeldLock implements HeldLock {

    protected final HeldLock target;

    protected DelegatingHeldLock(HeldLock target) {
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
    public Duration extend(Duration leaseTime, Duration minHoldTime) {
        return target.extend(leaseTime, minHoldTime);
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
