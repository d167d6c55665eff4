package io.distlock.support;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all locks in a process share: the clock, the scheduler thread, time limits and the reaper. Create it once, pass it
 * to providers and clients, and close it after them.
 */
public final class LockRuntime implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LockRuntime.class);

    private final Ticker ticker;
    private final LockScheduler scheduler;
    private final Supplier<? extends RandomGenerator> random;
    private final Timeouts timeouts;
    private final Reaper reaper;
    private final ClockJumpDetector clockJumps;

    /** Uses this clock and this scheduler, which {@link #close()} closes. */
    public LockRuntime(Ticker ticker, LockScheduler scheduler) {
        this(ticker, scheduler, ThreadLocalRandom::current);
    }

    /** For simulations: draws the jitter of pauses from this source. */
    LockRuntime(Ticker ticker, LockScheduler scheduler, Supplier<? extends RandomGenerator> random) {
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.random = random;
        this.timeouts = new Timeouts(ticker, scheduler);
        this.reaper = new Reaper(ticker, scheduler, timeouts, random);
        this.clockJumps = new ClockJumpDetector(ticker, scheduler);
    }

    /** Uses this machine's clocks and one daemon thread. */
    public static LockRuntime start() {
        LockRuntime runtime = new LockRuntime(Ticker.system(), new ThreadScheduler());
        runtime.clockJumps.start();
        return runtime;
    }

    public Ticker ticker() {
        return ticker;
    }

    public LockScheduler scheduler() {
        return scheduler;
    }

    /** Draws the jitter of pauses. */
    public RandomGenerator random() {
        return random.get();
    }

    public Timeouts timeouts() {
        return timeouts;
    }

    public Reaper reaper() {
        return reaper;
    }

    /** Runs only in a runtime made by {@link #start()}. */
    public ClockJumpDetector clockJumps() {
        return clockJumps;
    }

    /** Stops the scheduler; nothing of this runtime runs afterwards. */
    @Override
    public void close() {
        scheduler.close();
    }

    /** The scheduler of a running application: one named daemon thread. */
    private static final class ThreadScheduler implements LockScheduler {

        private final ScheduledThreadPoolExecutor executor;

        ThreadScheduler() {
            executor = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(task, "distlock-scheduler");
                thread.setDaemon(true);
                return thread;
            });
            executor.setRemoveOnCancelPolicy(true);
            // So that a failure shows here, not at the first task.
            executor.prestartCoreThread();
        }

        @Override
        public Scheduled schedule(Runnable task, Duration delay) {
            try {
                var future = executor.schedule(() -> run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
                return () -> future.cancel(false);
            } catch (RejectedExecutionException closed) {
                return () -> {};
            }
        }

        private static void run(Runnable task) {
            try {
                task.run();
            } catch (RuntimeException | Error failure) {
                // The next task must run.
                log.error("A task of the lock scheduler failed", failure);
            }
        }

        @Override
        public void close() {
            executor.shutdownNow();
        }
    }
}
