package io.distlock.spring.context;

import io.distlock.LockRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the call on the current thread holds. Not for applications, which read
 * {@code io.distlock.spring.LockContext}. Bound to the thread for as long as the body runs on it, and not longer,
 * however the body ends.
 */
public final class CallContext {

    private static final ThreadLocal<@Nullable CallChain> CURRENT = new ThreadLocal<>();

    /** What runs under a lock. */
    @FunctionalInterface
    public interface Body {

        @Nullable
        Object run() throws Throwable;
    }

    private CallContext() {}

    /** What the call on this thread holds. */
    public static CallChain chain() {
        return CallChain.orEmpty(CURRENT.get());
    }

    /** As {@link CallChain#enter}, for the call on this thread. */
    public static Optional<Stay> enter(String provider, LockRequest request) {
        return chain().enter(provider, request);
    }

    /** Runs the body on this thread as a call that holds these locks. */
    public static @Nullable Object under(CallChain chain, Body body) throws Throwable {
        CallChain outer = CURRENT.get();
        CURRENT.set(chain);
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
