package io.distlock.spring.execution;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The locks of the current call, bound to its thread for as long as the body runs on it, however the body ends. Not for
 * applications, which use {@code io.distlock.spring.LockContext}.
 */
public final class CallContext {

    private static final ThreadLocal<@Nullable HeldLocks> CURRENT = new ThreadLocal<>();

    /** Scopes on this thread, which keep locks of calls that have returned. A scope that has ended keeps nothing. */
    private static final ThreadLocal<@Nullable List<EnclosingScope>> SCOPES = new ThreadLocal<>();

    private CallContext() {}

    /** The locks of the call on this thread. */
    public static HeldLocks held() {
        HeldLocks held = CURRENT.get();
        return held == null ? HeldLocks.EMPTY : held;
    }

    /**
     * The locks of the call on this thread and, outside them, those that scopes on this thread keep of earlier calls.
     */
    static HeldLocks reachable() {
        List<EnclosingScope> scopes = SCOPES.get();
        if (scopes == null) {
            return held();
        }
        return held().within(
                        scopes.stream().flatMap(scope -> scope.kept().stream()).toList());
    }

    /** Makes the locks that the scope keeps available to calls on this thread, until {@link #leave}. */
    public static void enter(EnclosingScope scope) {
        List<EnclosingScope> scopes = SCOPES.get();
        if (scopes == null) {
            scopes = new ArrayList<>();
            SCOPES.set(scopes);
        }
        // A scope ended by another thread, as by the timeout of a transaction manager, was never left here.
        scopes.removeIf(each -> each.kept().isEmpty());
        scopes.add(scope);
    }

    public static void leave(EnclosingScope scope) {
        List<EnclosingScope> scopes = SCOPES.get();
        if (scopes != null && scopes.remove(scope) && scopes.isEmpty()) {
            SCOPES.remove();
        }
    }

    /** Runs the body on this thread as a call that holds these locks. */
    static @Nullable Object under(HeldLocks locks, Execution.Body body) throws Throwable {
        HeldLocks outer = CURRENT.get();
        CURRENT.set(locks);
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

    /** The locks of a subscription, in its Reactor context rather than on a thread. */
    public static final class OfSubscription {

        private static final Object KEY = HeldLocks.class;

        private OfSubscription() {}

        /** The locks of the subscription; empty if it is not one inside a locked body. */
        public static Optional<HeldLocks> held(ContextView context) {
            return context.getOrEmpty(KEY);
        }

        /** For subscriptions within a body. */
        static Context with(Context context, HeldLocks locks) {
            return context.put(KEY, locks);
        }
    }
}
