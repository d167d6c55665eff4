package io.distlock.spring;

import io.distlock.HeldLock;
import io.distlock.spring.execution.HeldLocks;
import java.util.Optional;

/**
 * The locks that the running method holds through {@link DistributedLock}.
 *
 * <pre>{@code
 * @DistributedLock(name = "stock", key = "#item")
 * public void reserve(String item) {
 *     repository.reserve(item, LockContext.current().fencingToken());
 * }
 * }</pre>
 *
 * <p>The lock is released when the method is done, and refuses any earlier release or close.
 *
 * <p>Bound to the calling thread: code that the method runs on another thread finds no lock there. Take the
 * {@link HeldLock} here and pass it on.
 */
public final class LockContext {

    private static final String CURE = ": it is bound to the thread and present only while a @DistributedLock method"
            + " runs that was called through its Spring bean. Call that method on the injected bean rather than on"
            + " \"this\", and hand the lock over to other threads yourself";

    private LockContext() {}

    /**
     * The lock of the innermost locked method that is running.
     *
     * @throws IllegalStateException if there is none
     */
    public static HeldLock current() {
        return find().orElseThrow(() -> new IllegalStateException("no lock is held by this call" + CURE));
    }

    /** As {@link #current()}, but empty if there is none. */
    public static Optional<HeldLock> find() {
        return HeldLocks.current().innermost();
    }

    /**
     * For a method that must only be called under a certain lock: returns the lock of that name, on any key, if the
     * call holds one and it is still valid.
     *
     * @throws IllegalStateException if the call holds no lock of this name
     * @throws io.distlock.LockLostException if it was lost
     */
    public static HeldLock requireHeld(String name) {
        HeldLock lock = HeldLocks.current()
                .named(name)
                .orElseThrow(() -> new IllegalStateException("no lock '" + name + "' is held by this call" + CURE));
        lock.ensureHeld();
        return lock;
    }
}
