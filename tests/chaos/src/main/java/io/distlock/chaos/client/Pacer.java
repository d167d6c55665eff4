package io.distlock.chaos.client;

import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.Journal;
import io.distlock.spi.Ticker;
import java.util.concurrent.locks.LockSupport;

/** Records when the process did not run: a thread that wants to run often, and says when it could not. */
final class Pacer implements Runnable, AutoCloseable {

    private static final long PACE = 10_000_000;
    private static final long STALL = 40_000_000;

    private final String client;
    private final Journal journal;
    private final Ticker ticker;
    private final Thread thread = new Thread(this, "pacer");
    private volatile boolean over;

    Pacer(String client, Journal journal, Ticker ticker) {
        this.client = client;
        this.journal = journal;
        this.ticker = ticker;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        long last = ticker.nanos();
        while (!over) {
            LockSupport.parkNanos(PACE);
            long now = ticker.nanos();
            if (now - last > STALL) {
                journal.at(now, Kind.STALLED, client, now - last);
            }
            last = now;
        }
    }

    /** Before its journal, so that a stall at the end is still recorded. */
    @Override
    public void close() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
