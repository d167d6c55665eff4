package io.distlock.test.time;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A clock that stands still until the test advances it. The wall clock advances with the monotonic one, and can also be
 * stepped alone, as by an administrator or after the machine was suspended. Thread-safe.
 */
public final class ManualTicker implements Ticker {

    private final List<ManualScheduler> schedulers = new CopyOnWriteArrayList<>();

    /** Arbitrary, like that of any monotonic clock: code that takes a reading for a time span must not work by chance. */
    private long nanos = 1_000_003_000_000_007L;

    private long wallNanos;

    @Override
    public synchronized long nanos() {
        return nanos;
    }

    @Override
    public synchronized long wallMillis() {
        return wallNanos / 1_000_000;
    }

    /**
     * Advances time, step by step through everything that is scheduled until then. Each task runs on the calling thread,
     * at its own time.
     */
    public void advance(Duration time) {
        long target = nanos() + time.toNanos();
        for (var next = next(target); next.isPresent(); next = next(target)) {
            next.get().runNext(target);
        }
        moveTo(target);
    }

    /** The scheduler with the earliest task, if that is due by the target. */
    private Optional<ManualScheduler> next(long target) {
        return schedulers.stream()
                .min(Comparator.comparingLong(ManualScheduler::nextAt))
                .filter(scheduler -> scheduler.nextAt() <= target);
    }

    /** Steps only the wall clock; a negative time sets it back. */
    public synchronized void stepWallClock(Duration step) {
        wallNanos += step.toNanos();
    }

    synchronized void moveTo(long target) {
        if (target - nanos > 0) {
            wallNanos += target - nanos;
            nanos = target;
        }
    }

    void attach(ManualScheduler scheduler) {
        schedulers.add(scheduler);
    }
}
