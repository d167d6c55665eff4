package io.distlock.spring.execution;

import io.distlock.LockException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/** What the caller gets when the lock was not acquired: an exception, an empty value or the result of a fallback. */
@FunctionalInterface
public interface NotAcquiredHandler {

    NotAcquiredHandler THROW = (Immediate) why -> {
        throw why;
    };

    /** The result in place of the body's. */
    @Nullable
    Object handle(LockException why) throws Throwable;

    /** One that calls no code of the application, which may block: no thread has to be found for it. */
    @FunctionalInterface
    interface Immediate extends NotAcquiredHandler {}

    /** Whether a handler takes this failure. */
    static boolean handles(Throwable failure) {
        return failure instanceof LockNotAcquiredException || failure instanceof LockUnavailableException;
    }
}
