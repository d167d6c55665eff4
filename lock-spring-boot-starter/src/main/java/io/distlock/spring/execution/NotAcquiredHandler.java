package io.distlock.spring.execution;

import io.distlock.LockException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the caller gets when the lock was not acquired: an exception, an empty value or the result of a fallback. */
@FunctionalInterface
public interface NotAcquiredHandler {

    /** Throws the reason. */
    NotAcquiredHandler THROW = own(why -> {
        throw why;
    });

    /** The result in place of the body's. */
    @Nullable
    Object handle(LockException why) throws Throwable;

    /** Whether this calls code of the application, which may block. If not, no thread has to be found for it. */
    default boolean callsApplication() {
        return true;
    }

    /** A handler that never calls code of the application. */
    static NotAcquiredHandler own(NotAcquiredHandler handler) {
        return new NotAcquiredHandler() {
            @Override
            public @Nullable Object handle(LockException why) throws Throwable {
                return handler.handle(why);
            }

            @Override
            public boolean callsApplication() {
                return false;
            }
        };
    }

    /** A replacement if others hold the lock; a store that does not answer still throws. */
    static NotAcquiredHandler ifNotAcquired(Function<LockException, ? extends @Nullable Object> replacement) {
        return why -> {
            if (why instanceof LockNotAcquiredException) {
                return replacement.apply(why);
            }
            throw why;
        };
    }

    /** Whether a handler takes this failure. */
    static boolean handles(Throwable failure) {
        return failure instanceof LockNotAcquiredException || failure instanceof LockUnavailableException;
    }
}
