package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.Release;
import java.util.concurrent.CompletionStage;

/**
 * A lock as its body sees it, which cannot release it: a try-with-resources statement over it would
 * let others in while the body continues. Thread-safe.
 */
final class UnreleasableLock extends DelegatingHeldLock {

    UnreleasableLock(HeldLock lock) {
        super(lock);
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
        return new IllegalStateException("the lock " + keys()
                + " is released when the method that it was taken for is done, and not by that method:"
                + " leave out the release, and the try-with-resources statement. To end a lock earlier, lock a"
                + " smaller method or a part of it with LockTemplate");
    }
}
