package io.distlock.spring.execution;

import io.distlock.LockException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the caller a result in place of a body that did not run. Which one, the annotation's attributes or the
 * template's {@code LockSpec} say.
 */
@FunctionalInterface
public interface NotAcquiredHandler {

    /** Throws the reason. */
    NotAcquiredHandler THROW = why -> {
        throw why;
    };

    /**
     * The result in place of the body's.
     *
     * @param why a {@link LockNotAcquiredException} or a {@link LockUnavailableException}
     */
    @Nullable
    Object handle(LockException why) throws Throwable;

    /** A replacement for a lock held by another; a store that does not answer is still thrown. */
    static NotAcquiredHandler ifNotAcquired(Function<LockException, ? extends @Nullable Object> replacement) {
        return why -> {
            if (why instanceof LockNotAcquiredException) {
                return replacement.apply(why);
            }
            throw why;
        };
    }

    /** Whether a failed acquisition is for a handler. */
    static boolean handles(Throwable failure) {
        return failure instanceof LockNotAcquiredException || failure instanceof LockUnavailableException;
    }

    /**
     * Carries the failure of one lock out to where the earlier locks of the call have been released; no caller sees it.
     * Has no suppressed exceptions: the loss of an earlier lock is irrelevant, as the body has not run.
     */
    final class NotAcquired extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient NotAcquiredHandler handler;
        private final LockException why;

        NotAcquired(LockTask task, LockException why) {
            super(why.getMessage(), why, false, false);
            this.handler = task.notAcquired();
            this.why = why;
        }

        /** What the caller gets. */
        @Nullable
        Object result() throws Throwable {
            return handler.handle(why);
        }
    }
}
