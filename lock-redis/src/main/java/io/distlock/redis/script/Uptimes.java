package io.distlock.redis.script;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How long each run of a server has been up at least. A server's wall clock may be stepped: its count is trusted when
 * the run is first seen, and no further back than when the previous run was last connected. From then on the local
 * clock counts. Thread-safe.
 */
final class Uptimes {

    private final Ticker ticker;
    private final Map<String, Long> upSince = new HashMap<>();
    private @Nullable String last;
    private boolean wasConnected;
    private long lastNanos;

    Uptimes(Ticker ticker) {
        this.ticker = ticker;
    }

    synchronized void disconnected() {
        wasConnected = true;
        lastNanos = ticker.nanos();
    }

    synchronized void heardOf(String run, Duration uptime) {
        long now = ticker.nanos();
        long said = Math.max(0, uptime.toNanos());
        long up = wasConnected && !run.equals(last) ? Math.min(said, now - lastNanos) : said;
        upSince.putIfAbsent(run, now - up);
        last = run;
        wasConnected = true;
        lastNanos = now;
    }

    synchronized Duration upFor(String run) {
        return Duration.ofNanos(ticker.nanos() - upSince.getOrDefault(run, ticker.nanos()));
    }
}
