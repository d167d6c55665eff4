package io.distlock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * No answer of the store was to be had, so nobody knows whether the lock is free. Never to be read as "held by another".
 * Nothing is left behind: an attempt that may have been applied is withdrawn in the background.
 */
public final class LockUnavailableException extends LockException {

    private static final long serialVersionUID = 1L;

    public LockUnavailableException(LockKey key, Duration waited, String why, @Nullable Throwable cause) {
        super("lock '" + key + "' is unavailable after " + waited.toMillis() + " ms: " + why, key, waited, cause);
    }
}
