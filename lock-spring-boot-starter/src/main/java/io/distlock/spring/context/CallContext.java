package io.distlock.spring.context;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the call on the current thread holds. Not for applications, which read
 * {@code io.distlock.spring.LockContext}. Bound to the thread for as long as the body runs on it, and not longer,
 * however the body ends.
 */
public final class CallContext {

    private static final ThreadLocal<@Nullable CallChain> CURRENT = new ThreadLocal<>();

    /** Scopes on this thread that keep locks of calls that have returned. Those that have ended keep nothing. */
    private static final ThreadLocal<@Nullable List<OuterScope>> SCOPES = new ThreadLocal<>();

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

    /** The same, and outermost what earlier calls of the thread have left to scopes around them. */
    public static CallChain reachable() {
        List<OuterScope> scopes = SCOPES.get();
        if (scopes == null) {
            return chain();
        }
        return chain().within(
                        scopes.stream().flatMap(scope -> scope.holds().stream()).toList());
    }

    /** What the scope keeps can be entered by calls on this thread, until {@link #leave}. */
    public static void enter(OuterScope scope) {
        List<OuterScope> scopes = SCOPES.get();
        if (scopes == null) {
            scopes = new ArrayList<>();
            SCOPES.set(scopes);
        }
        // One that was ended by another thread, as by a transaction manager's timeout, was never left here.
        scopes.removeIf(each -> each.holds().isEmpty());
        scopes.add(scope);
    }

    public static void leave(OuterScope scope) {
        List<OuterScope> scopes = SCOPES.get();
        if (scopes != null && scopes.remove(scope) && scopes.isEmpty()) {
            SCOPES.remove();
        }
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
