package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockLoss;
import io.distlock.Release;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** A lock as the engine's other classes see it: what a composite begins at all its parts before it waits for any answer. */
abstract class EngineLock implements HeldLock {

    /** For what another library's stages call: they do so where it may block. */
    static final Executor THERE = Runnable::run;

    /** Runs dependents, which may block. */
    final Executor callbacks;

    private final int permit;

    EngineLock(Executor callbacks) {
        this(callbacks, 1);
    }

    EngineLock(Executor callbacks, int permit) {
        this.callbacks = callbacks;
        this.permit = permit;
    }

    @Override
    public int permit() {
        return permit;
    }

    @Override
    public Duration extend(Duration leaseTime, Duration minHoldTime) {
        startExtension(leaseTime, minHoldTime).run();
        return remaining();
    }

    /** Asks the store; what is returned waits for the answer, and throws unless it confirms the extension. */
    abstract Runnable startExtension(Duration leaseTime, Duration minHoldTime);

    @Override
    public CompletionStage<Release> releaseAsync() {
        return startRelease().thenApplyAsync(release -> release, callbacks);
    }

    /** As {@link #releaseAsync()}, but dependents run on the thread with the answer. */
    abstract CompletableFuture<Release> startRelease();

    /** Releases what no caller has got: no minimum hold time applies. */
    abstract CompletableFuture<Release> giveBack();

    static EngineLock of(HeldLock lock) {
        return lock instanceof EngineLock known ? known : new Foreign(lock);
    }

    /** A lock of another library, which is asked as any caller asks. */
    private static final class Foreign extends DelegatingHeldLock {

        Foreign(HeldLock target) {
            super(target);
        }

        @Override
        public void onLost(Consumer<LockLoss> action) {
            target.lost().thenAccept(action);
        }

        @Override
        public Release release() {
            return target.release();
        }

        @Override
        public CompletionStage<Release> releaseAsync() {
            return target.releaseAsync();
        }

        @Override
        public void close() {
            target.close();
        }
    }
}
