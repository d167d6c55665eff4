package io.distlock.redis;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * For how long each run of a server has been up at least. What a server says of itself is counted by its wall clock, which
 * a time service may step after the machine has booted: it is believed when the run is first heard of, and for no longer
 * than since the run before was last connected. From then on the clock here counts. Thread-safe.
 */
final class RunTimes {

    private final Ticker ticker;
    private final Map<ServerIncarnation, Long> upSince = new HashMap<>();
    private @Nullable ServerIncarnation last;
    private boolean wasConnected;
    private long lastNanos;

    RunTimes(Ticker ticker) {
        this.ticker = ticker;
    }

    /** The connection to the server has ended. */
    synchronized void disconnected() {
        wasConnected = true;
        lastNanos = ticker.nanos();
    }

    /**
     * The server has answered.
     *
     * @param uptime as it says
     */
    synchronized void heardOf(ServerIncarnation run, Duration uptime) {
        long now = ticker.nanos();
        boolean isSuccessor = wasConnected && !run.equals(last);
        long said = Math.max(0, uptime.toNanos());
        long up = isSuccessor ? Math.min(said, now - lastNanos) : said;
        upSince.putIfAbsent(run, now - up);
        last = run;
        wasConnected = true;
        lastNanos = now;
    }

    /** Of a run that was heard of. */
    synchronized Duration upFor(ServerIncarnation run) {
        return Duration.ofNanos(ticker.nanos() - upSince.getOrDefault(run, ticker.nanos()));
    }
}
