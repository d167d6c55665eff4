package io.distlock.support;

import io.distlock.spi.Ticker;

/**
 * What all locks of a process share: the clock, the one scheduler thread, time limits and the reaper. Made once,
 * handed to providers and clients, closed after them.
 */
public final class LockRuntime implements AutoCloseable {

    private final Ticker ticker;
    private final LockScheduler scheduler;
    private final Timeouts timeouts;
    private final Reaper reaper;
    private final ClockWatch clockWatch;

    /** With a clock and a scheduler of one's own, which {@link #close()} closes. */
    public LockRuntime(Ticker ticker, LockScheduler scheduler) {
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.timeouts = new Timeouts(ticker, scheduler);
        this.reaper = new Reaper(ticker, scheduler, timeouts);
        this.clockWatch = new ClockWatch(ticker, scheduler);
    }

    /** With this machine's clocks and one daemon thread. */
    public static LockRuntime start() {
        LockRuntime runtime = new LockRuntime(Ticker.system(), new ThreadScheduler("distlock-scheduler"));
        runtime.clockWatch.start();
        return runtime;
    }

    public Ticker ticker() {
        return ticker;
    }

    public LockScheduler scheduler() {
        return scheduler;
    }

    public Timeouts timeouts() {
        return timeouts;
    }

    public Reaper reaper() {
        return reaper;
    }

    /** Watches the clocks of a runtime made by {@link #start()}; of others it sees nothing. */
    public ClockWatch clockWatch() {
        return clockWatch;
    }

    /** Stops the scheduler; nothing of this runtime runs afterwards. */
    @Override
    public void close() {
        scheduler.close();
    }
}
