package io.distlock.spring.context;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the running call holds, innermost first. Not for applications, which read
 * {@code io.distlock.spring.LockContext}. Bound to the thread; each entry is gone when the body that it was made for
 * has ended, however it ended.
 */
public final class CallContext {

    private static final ThreadLocal<@Nullable Frame> CURRENT = new ThreadLocal<>();

    /** What runs under a lock. */
    @FunctionalInterface
    public interface Body {

        @Nullable
        Object run() throws Throwable;
    }

    /** One lock, and those that the call held already when it took it. */
    private record Frame(
            LockClient client, HeldLock lock, @Nullable Frame outer) {}

    private CallContext() {}

    /** The lock that was taken last. */
    public static Optional<HeldLock> innermost() {
        return find(frame -> true).map(Frame::lock);
    }

    /** The innermost lock with this name. */
    public static Optional<HeldLock> named(String name) {
        return find(frame ->
                        frame.lock.keys().stream().anyMatch(key -> key.name().equals(name)))
                .map(Frame::lock);
    }

    /**
     * The lock that already gives a request all it asks for.
     *
     * @param client whom the request would go to. Not the provider's name: another application in this JVM has one of
     *     the same name, and another store behind it
     * @return empty if the request has no key in common with what is held
     * @throws io.distlock.LockLostException if that lock was lost
     * @throws IllegalStateException if the request could only wait for a lock of its own call: an exclusive one
     *     inside a shared one, or some keys that are held and some that are not
     */
    public static Optional<HeldLock> covering(LockClient client, LockRequest request) {
        if (CURRENT.get() == null) {
            return Optional.empty();
        }
        Set<LockKey> wanted = Set.copyOf(request.keys());
        Optional<HeldLock> overlapping = find(frame ->
                        frame.client == client && frame.lock.keys().stream().anyMatch(wanted::contains))
                .map(Frame::lock);
        overlapping.ifPresent(held -> requireCovers(held, request));
        return overlapping;
    }

    private static void requireCovers(HeldLock held, LockRequest request) {
        if (held.mode() == LockMode.SHARED && request.mode() == LockMode.EXCLUSIVE) {
            throw new IllegalStateException("this call holds " + held.keys() + " SHARED and asks for "
                    + request.keys() + " EXCLUSIVE: it would wait for itself. Take the outer lock EXCLUSIVE, or call"
                    + " the inner method after the outer one has returned");
        }
        if (!new HashSet<>(held.keys()).containsAll(request.keys())) {
            throw new IllegalStateException("this call holds " + held.keys() + " and asks for " + request.keys()
                    + ", of which it holds some and not others: it would wait for itself. Take all of them together"
                    + " in the outermost method");
        }
        held.ensureHeld();
    }

    private static Optional<Frame> find(Predicate<Frame> wanted) {
        Frame frame = CURRENT.get();
        while (frame != null && !wanted.test(frame)) {
            frame = frame.outer;
        }
        return Optional.ofNullable(frame);
    }

    /** Runs the body with this lock as the innermost of the call. */
    public static @Nullable Object under(LockClient client, HeldLock lock, Body body) throws Throwable {
        Frame outer = CURRENT.get();
        CURRENT.set(new Frame(client, lock, outer));
        try {
            return body.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }
}
