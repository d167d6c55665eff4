package io.distlock.support;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The scheduler of a running application: one named daemon thread. */
final class ThreadScheduler implements LockScheduler {

    private static final Logger log = LoggerFactory.getLogger(ThreadScheduler.class);
    private static final Scheduled NEVER = () -> {};

    private final ScheduledThreadPoolExecutor executor;

    ThreadScheduler(String threadName) {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, threadName);
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        // Now, where it can fail, and not with the first task.
        executor.prestartCoreThread();
    }

    @Override
    public Scheduled schedule(Runnable task, Duration delay) {
        try {
            var future = executor.schedule(() -> run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException closed) {
            return NEVER;
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            // The next task must run whatever this one did.
            log.error("A task of the lock scheduler failed", failure);
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
