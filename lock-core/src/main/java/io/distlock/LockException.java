package io.distlock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A lock could not be acquired or kept. Each subclass is one reason: {@link LockNotAcquiredException} (another holds it),
 * {@link LockUnavailableException} (the store did not answer), {@link LockLostException} (we had it and no longer do),
 * {@link LockInterruptedException} (the waiting thread was interrupted). Serialisable with all fields.
 */
public abstract class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final LockKey key;
    private final Duration elapsed;

    LockException(String message, LockKey key, Duration elapsed, @Nullable Throwable cause) {
        super(message, cause);
        this.key = key;
        this.elapsed = elapsed;
    }

    /** The lock; if several were requested together, the one that failed. */
    public LockKey key() {
        return key;
    }

    /** How long the caller waited for the lock, or how long it was held before it was lost. */
    public Duration elapsed() {
        return elapsed;
    }
}
