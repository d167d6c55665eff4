package io.distlock.support;

import java.time.Duration;

/** Runs short tasks after a delay, all on one thread. A task must not block; its failures are logged. Thread-safe. */
public interface LockScheduler extends AutoCloseable {

    /** Runs the task once after the delay, unless it is cancelled first. After {@link #close()} no task runs. */
    Scheduled schedule(Runnable task, Duration delay);

    /** Drops all tasks that have not started. */
    @Override
    void close();

    /** A scheduled task. */
    interface Scheduled {

        /** No effect if the task has started. */
        void cancel();
    }
}
