package io.distlock.spring.client;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spring.client.InstrumentedLockClient.HoldListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Delegates to another lock, and notifies a listener of how it ends. Thread-safe. */
final class InstrumentedLock implements HeldLock {

    private final HeldLock target;
    private final HoldListener listener;
    private final AtomicBoolean ended = new AtomicBoolean();

    InstrumentedLock(HeldLock target, HoldListener listener) {
        this.target = target;
        this.listener = listener;
        target.onLost(loss -> {
            if (ended.compareAndSet(false, true)) {
                listener.lost(loss);
            }
        });
    }

    /** A release that comes too late counts as a loss. */
    private Release released(Release outcome) {
        if (outcome != Release.NOT_OWNER && ended.compareAndSet(false, true)) {
            listener.released(outcome);
        }
        return outcome;
    }

    @Override
    public Release release() {
        return released(target.release());
    }

    @Override
    public CompletionStage<Release> releaseAsync() {
        return target.releaseAsync().thenApply(this::released);
    }

    /** Released first, for the answer; releasing again is harmless. */
    @Override
    public void close() {
        release();
        target.close();
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
