package io.distlock.spring.client;

import io.distlock.HeldLock;
import io.distlock.Release;
import io.distlock.spring.client.InstrumentedLockClient.HoldListener;
import io.distlock.spring.execution.DelegatingHeldLock;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** Delegates to another lock, and notifies a listener of how it ends. Thread-safe. */
final class InstrumentedLock extends DelegatingHeldLock {

    private final HoldListener listener;
    private final AtomicBoolean ended = new AtomicBoolean();

    InstrumentedLock(HeldLock target, HoldListener listener) {
        super(target);
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

    /** Releases first for the outcome; releasing again is harmless. */
    @Override
    public void close() {
        release();
        target.close();
    }
}
