package io.distlock.chaos.client;

import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.Journal;
import io.distlock.spi.Ticker;
import java.util.concurrent.locks.LockSupport;

/** Records when the process did not run: a thread that wants to run often, and says when it could not. */
final class Pacer implements Runnable {

    private static final long PACE = 10_000_000;
    private static final long STALL = 40_000_000;

    private final String client;
    private final Journal journal;
    private final Ticker ticker;

    private Pacer(String client, Journal journal, Ticker ticker) {
        this.client = client;
        this.journal = journal;
        this.ticker = ticker;
    }

    static void start(String client, Journal journal, Ticker ticker) {
        Thread thread = new Thread(new Pacer(client, journal, ticker), "pacer");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        long last = ticker.nanos();
        while (true) {
            LockSupport.parkNanos(PACE);
            long now = ticker.nanos();
            if (now - last > STALL) {
                journal.at(now, Kind.STALLED, client, now - last);
            }
            last = now;
        }
    }
}
