package io.distlock;

import java.time.Duration;

/** Others held the lock for the whole wait time. */
public final class LockNotAcquiredException extends LockException {

    private static final long serialVersionUID = 1L;

    public LockNotAcquiredException(LockKey key, Duration waited) {
        super(
                "lock '" + key + "' is held by another owner; gave up after " + waited.toMillis() + " ms",
                key,
                waited,
                null);
    }
}
