package io.distlock.spring.endpoint;

import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockLoss;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClientCustomizer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Remembers the latest hundred lost locks. Thread-safe. */
final class RecentLosses implements LockClientCustomizer {

    private static final int MOST = 100;

    private final Ticker ticker;
    private final Deque<Lost> latest = new ArrayDeque<>();

    record Lost(String provider, LockLoss loss, Instant at) {}

    RecentLosses(Ticker ticker) {
        this.ticker = ticker;
    }

    @Override
    public LockClient customize(LockClient client) {
        String provider = client.provider();
        client.addListener(event -> {
            if (event instanceof LockEvent.Lost lost) {
                add(new Lost(provider, lost.loss(), Instant.ofEpochMilli(ticker.wallMillis())));
            }
        });
        return client;
    }

    private synchronized void add(Lost lost) {
        if (latest.size() == MOST) {
            latest.removeLast();
        }
        latest.addFirst(lost);
    }

    /** The newest first. */
    synchronized List<Lost> latest() {
        return List.copyOf(latest);
    }
}
