package io.distlock.support;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects jumps of the wall clock against the monotonic one: forward when it is set, or after the machine was suspended
 * with the monotonic clock stopped; backward when it is set back. A jump forward ages held locks and may lose
 * them, so watchdogs then check theirs. Checks once a second, and ignores steps below half a second, which time
 * servers make. Thread-safe; checks and notifies on the scheduler's thread.
 */
public final class ClockJumpDetector {

    private static final Logger log = LoggerFactory.getLogger(ClockJumpDetector.class);
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final long TOLERATED_MILLIS = 500;

    private final Ticker ticker;
    private final LockScheduler scheduler;
    private final LongAdder forward = new LongAdder();
    private final LongAdder backward = new LongAdder();
    private final Set<Runnable> onLeap = new CopyOnWriteArraySet<>();
    private Reading last;

    /** The wall clock, and the monotonic one before and after it: a pause in between is not a jump. */
    private record Reading(long nanosBefore, long wallMillis, long nanosAfter) {

        static Reading of(Ticker ticker) {
            long before = ticker.nanos();
            long wall = ticker.wallMillis();
            return new Reading(before, wall, ticker.nanos());
        }
    }

    ClockJumpDetector(Ticker ticker, LockScheduler scheduler) {
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.last = Reading.of(ticker);
    }

    void start() {
        scheduler.schedule(this::look, PERIOD);
    }

    /** Runs the action after each jump forward from now on. It returns at once and never throws. */
    public void add(Runnable action) {
        onLeap.add(action);
    }

    public void remove(Runnable action) {
        onLeap.remove(action);
    }

    /** How many actions run after a jump. */
    int watchers() {
        return onLeap.size();
    }

    private void look() {
        // First, so that a failure does not end the checks.
        start();
        Reading now = Reading.of(ticker);
        long wall = now.wallMillis() - last.wallMillis();
        long ahead = wall - (now.nanosAfter() - last.nanosBefore()) / 1_000_000;
        long behind = (now.nanosBefore() - last.nanosAfter()) / 1_000_000 - wall;
        last = now;
        if (ahead > TOLERATED_MILLIS) {
            forward.increment();
            log.warn(
                    "The wall clock jumped forward by {} ms: it was set, or the machine was suspended. Held locks are"
                            + " treated as that much older",
                    ahead);
            onLeap.forEach(Runnable::run);
        } else if (behind > TOLERATED_MILLIS) {
            backward.increment();
            log.warn("The wall clock was set back by {} ms; locks are not affected", behind);
        }
    }

    /** How many jumps forward were detected. */
    public long forward() {
        return forward.sum();
    }

    /** How many jumps backward were detected. */
    public long backward() {
        return backward.sum();
    }
}
