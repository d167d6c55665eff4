package io.distlock.support;

import java.time.Duration;

/**
 * Runs short tasks after a delay, all on one thread. A task must not block; what it throws is logged and stops
 * nothing. Thread-safe.
 */
public interface LockScheduler extends AutoCloseable {

    /** Runs the task once, this long from now, unless it is cancelled first. After close it never runs. */
    Scheduled schedule(Runnable task, Duration delay);

    /** Drops everything that has not run. */
    @Override
    void close();

    /** A task that waits for its time. */
    interface Scheduled {

        /** Takes the task back; without effect if it has started. */
        void cancel();
    }
}
