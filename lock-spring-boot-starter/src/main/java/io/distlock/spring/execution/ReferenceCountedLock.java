package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.Release;
import io.distlock.engine.CompositeHeldLock;
import io.distlock.engine.DelegatingHeldLock;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is released with its last reference: held by the body it was taken for, by calls inside that body,
 * which may outlive it, or by a transaction around it. Not for applications. Thread-safe.
 */
public final class ReferenceCountedLock {

    private final LockClient client;
    private final List<LockKey> keys;
    private final HeldLock lock;
    private final HeldLock unreleasable;

    private final AtomicInteger references = new AtomicInteger(1);
    private volatile boolean fenced;

    private ReferenceCountedLock(LockTask task, HeldLock lock) {
        this.client = task.client();
        this.keys = task.request().keys();
        this.lock = lock;
        this.fenced = task.policy().fenced();
        this.unreleasable = new UnreleasableLock(lock);
    }

    /** The first reference to a lock that has just been granted. */
    static Reference first(LockTask task, HeldLock lock) {
        return new Reference(new ReferenceCountedLock(task, lock), true);
    }

    /** These locks as one, which cannot be released. */
    static HeldLock joint(List<ReferenceCountedLock> locks) {
        return new UnreleasableLock(CompositeHeldLock.of(
                locks.stream().map(ReferenceCountedLock::lock).toList()));
    }

    public LockClient client() {
        return client;
    }

    public HeldLock lock() {
        return lock;
    }

    /** As they were asked for: without the number of a permit. */
    List<LockKey> keys() {
        return keys;
    }

    /** Whether it is on any of these keys, and one of so many permits. */
    boolean satisfies(Collection<LockKey> others, int permits) {
        if (lock.permit() > permits) {
            return false;
        }
        for (LockKey each : keys) {
            if (others.contains(each)) {
                return true;
            }
        }
        return false;
    }

    /** Whether transactions show it to resources that refuse stale holders. */
    public boolean isFenced() {
        return fenced;
    }

    /** From now on, if a call inside asks for it. */
    void fence(boolean asked) {
        if (asked && !fenced) {
            fenced = true;
        }
    }

    /** The lock as its body sees it: always the same object, which refuses to be released. */
    HeldLock unreleasable() {
        return unreleasable;
    }

    /** Whether the last reference has not been closed yet. */
    boolean isReferenced() {
        return references.get() > 0;
    }

    /** One more reference; null if the last one was already closed. */
    public @Nullable Reference addReference() {
        int before = references.getAndUpdate(count -> count == 0 ? 0 : count + 1);
        return before == 0 ? null : new Reference(this, false);
    }

    /** A lock as its body sees it: an early release would let others in while the body continues. */
    private static final class UnreleasableLock extends DelegatingHeldLock {

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
                    + " is released after its method, and not by code in the method: remove the release, or the"
                    + " try-with-resources statement. To end a lock earlier, lock a"
                    + " smaller method or a part of it with LockTemplate");
        }
    }

    /** A counted reference to a lock. Closed once; that reports whether the lock was lost. */
    public static final class Reference {

        private final ReferenceCountedLock target;
        private final boolean outermost;

        private Reference(ReferenceCountedLock target, boolean outermost) {
            this.target = target;
            this.outermost = outermost;
        }

        /** Whether the lock was taken for the owner of this reference and not for a call around it. */
        boolean isOutermost() {
            return outermost;
        }

        public ReferenceCountedLock target() {
            return target;
        }

        public HeldLock lock() {
            return target.lock();
        }

        /** Drops the reference; the last one releases the lock and waits for the answer. Throws the loss, if there is one. */
        public void close() {
            RuntimeException loss = loss();
            if (isLast()) {
                lock().close();
            } else if (loss != null) {
                throw loss;
            }
        }

        /** As {@link #close()}, without waiting. */
        public CompletionStage<?> closeAsync() {
            RuntimeException loss = loss();
            if (!isLast()) {
                return loss == null ? CompletableFuture.completedFuture(null) : CompletableFuture.failedFuture(loss);
            }
            // Once answered, close() only throws the loss.
            return lock().releaseAsync()
                    .exceptionally(unknown -> Release.UNKNOWN)
                    .thenRun(lock()::close);
        }

        /** Asked before the reference is dropped: after that, the owner of another one may release the lock. */
        private @Nullable RuntimeException loss() {
            try {
                lock().ensureHeld();
                return null;
            } catch (LockLostException | IllegalStateException notHeld) {
                return notHeld;
            }
        }

        private boolean isLast() {
            return target.references.decrementAndGet() == 0;
        }
    }
}
