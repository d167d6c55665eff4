package io.distlock.spring.endpoint;

import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.spi.Ticker;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Remembers the latest hundred lost locks. Thread-safe. */
final class RecentLosses implements LockListener {

    private static final int MOST = 100;

    private final Ticker ticker;
    private final Deque<Lost> latest = new ArrayDeque<>();

    record Lost(String provider, LockLoss loss, Instant at) {}

    RecentLosses(Ticker ticker) {
        this.ticker = ticker;
    }

    @Override
    public synchronized void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Lost lost) {
            if (latest.size() == MOST) {
                latest.removeLast();
            }
            latest.addFirst(new Lost(lost.provider(), lost.loss(), Instant.ofEpochMilli(ticker.wallMillis())));
        }
    }

    /** The newest first. */
    synchronized List<Lost> latest() {
        return List.copyOf(latest);
    }
}
