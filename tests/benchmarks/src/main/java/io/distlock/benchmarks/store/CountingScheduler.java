package io.distlock.benchmarks.store;

import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the timers that are set, and lets another scheduler run them. Thread-safe. */
final class CountingScheduler implements LockScheduler {

    private final LockScheduler runner;
    private final AtomicLong set = new AtomicLong();

    CountingScheduler(LockScheduler runner) {
        this.runner = runner;
    }

    @Override
    public Scheduled schedule(Runnable task, Duration delay) {
        set.incrementAndGet();
        return runner.schedule(task, delay);
    }

    long set() {
        return set.get();
    }

    @Override
    public void close() {
        runner.close();
    }
}
