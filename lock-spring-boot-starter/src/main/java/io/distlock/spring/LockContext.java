package io.distlock.spring;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.spring.execution.HeldLocks;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

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
 * <p>The lock is released after the method. It refuses any earlier release or close.
 *
 * <p>Bound to the calling thread: code that the method runs on another thread finds no lock there. Take the
 * {@link HeldLock} here and pass it on.
 */
public final class LockContext {

    private static final String CURE = ": a lock is visible only on the thread of a running @DistributedLock method"
            + " that was called through its Spring bean. Call that method on the injected bean, not on \"this\", and"
            + " pass the lock to other threads yourself";

    private LockContext() {}

    /**
     * The lock of the innermost locked method that is running. If the method takes several locks, the result combines them: it
     * is held as long as each of them is, and has a fencing token for each in {@link HeldLock#sequencers()}.
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
     * Every lock of the locked methods that are running on this thread, outermost first, each separately; empty if
     * there is none. The list cannot be modified.
     */
    public static List<HeldLock> all() {
        return HeldLocks.current().all();
    }

    /**
     * For a method that must only be called under a certain lock: returns the lock of that name, on any key, if the
     * call holds one and it is still valid.
     *
     * @throws IllegalStateException if the call holds no lock of this name
     * @throws io.distlock.LockLostException if it was lost
     */
    public static HeldLock requireHeld(String name) {
        return requireHeld(name, key -> key.name().equals(name));
    }

    /**
     * Like {@link #requireHeld(String)}, for the lock on one item under the name.
     *
     * @throws IllegalArgumentException if the name or the key is not valid, see {@link LockKey}
     */
    public static HeldLock requireHeld(String name, String key) {
        LockKey wanted = LockKey.of(name, key);
        return requireHeld(wanted.text(), wanted::equals);
    }

    private static HeldLock requireHeld(String what, Predicate<LockKey> key) {
        HeldLock lock = HeldLocks.current()
                .holding(key)
                .orElseThrow(() -> new IllegalStateException("no lock '" + what + "' is held by this call" + CURE));
        lock.ensureHeld();
        return lock;
    }
}
