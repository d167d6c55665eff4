package io.distlock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The store gave no answer, so it is unknown whether the lock is free; this does not mean "held by another". Nothing is
 * left behind: an attempt that may have been applied is withdrawn in the background.
 */
public final class LockUnavailableException extends LockException {

    private static final long serialVersionUID = 1L;

    public LockUnavailableException(LockKey key, Duration waited, String why, @Nullable Throwable cause) {
        super("lock '" + key + "' is unavailable after " + waited.toMillis() + " ms: " + why, key, waited, cause);
    }
}
