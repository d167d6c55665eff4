package io.distlock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The thread was interrupted while it waited for the lock. Its interrupt flag is set again. */
public final class LockInterruptedException extends LockException {

    private static final long serialVersionUID = 1L;

    public LockInterruptedException(LockKey key, Duration waited, @Nullable InterruptedException cause) {
        super("interrupted after waiting " + waited.toMillis() + " ms for lock '" + key + "'", key, waited, cause);
    }
}
