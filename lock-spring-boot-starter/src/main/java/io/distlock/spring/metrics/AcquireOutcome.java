package io.distlock.spring.metrics;

import io.distlock.LockEvent;
import java.util.concurrent.CancellationException;

/** How a call for a lock has ended. */
enum AcquireOutcome {
    ACQUIRED,

    /** Another held it for the whole wait time. */
    NOT_ACQUIRED,

    /** The store did not answer. */
    UNAVAILABLE,

    /** The caller gave up: cancelled, or interrupted. */
    CANCELLED;

    static AcquireOutcome of(LockEvent.Failed failed) {
        return failed.cause() instanceof CancellationException ? CANCELLED : UNAVAILABLE;
    }
}
