package io.distlock.spring.execution;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.Sequencer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A lock as the body that runs under it sees it, which cannot release it: a try-with-resources statement over it would
 * let others in while the body goes on. Thread-safe.
 */
final class UnreleasableLock implements HeldLock {

    private final HeldLock lock;

    UnreleasableLock(HeldLock lock) {
        this.lock = lock;
    }

    @Override
    public List<LockKey> keys() {
        return lock.keys();
    }

    @Override
    public LockMode mode() {
        return lock.mode();
    }

    @Override
    public List<Sequencer> sequencers() {
        return lock.sequencers();
    }

    @Override
    public FencingToken fencingToken() {
        return lock.fencingToken();
    }

    @Override
    public boolean isHeld() {
        return lock.isHeld();
    }

    @Override
    public Duration remaining() {
        return lock.remaining();
    }

    @Override
    public void ensureHeld() {
        lock.ensureHeld();
    }

    @Override
    public CompletionStage<LockLoss> lost() {
        return lock.lost();
    }

    @Override
    public void onLost(Consumer<LockLoss> action) {
        lock.onLost(action);
    }

    @Override
    public Release release() {
        throw refusal();
    }

    @Override
    public CompletionStage<Release> releaseAsync() {
        throw refusal();
    }

    @Override
    public void close() {
        throw refusal();
    }

    private IllegalStateException refusal() {
        return new IllegalStateException(
                "the lock " + lock.keys() + " is released when the method that it was taken for"
                        + " is done, and not by that method: leave out the release, and the try-with-resources"
                        + " statement. To end a lock earlier, lock a smaller method or a part of it with LockTemplate");
    }

    @Override
    public String toString() {
        return lock.toString();
    }
}
