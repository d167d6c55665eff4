package io.distlock.spring.metrics;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.spi.Ticker;
import io.distlock.spring.client.MeterNameLimiter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How many locks of each name a client holds and waits for. Counted on demand from the client's own records: calls cost
 * nothing extra, and figures cannot drift. Counted at most once a second, since a registry reads one gauge after another.
 * Thread-safe.
 */
final class LockGauges {

    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

    private final LockClient client;
    private final MeterNameLimiter names;
    private final Ticker ticker;
    private volatile Count last;

    private record Count(long atNanos, Map<String, Integer> held, Map<String, Integer> waiting) {}

    LockGauges(LockClient client, MeterNameLimiter names, Ticker ticker) {
        this.client = client;
        this.names = names;
        this.ticker = ticker;
        this.last = new Count(ticker.nanos() - FRESH_NANOS, Map.of(), Map.of());
    }

    int held(String tag) {
        return latest().held().getOrDefault(tag, 0);
    }

    int waiting(String tag) {
        return latest().waiting().getOrDefault(tag, 0);
    }

    private Count latest() {
        Count known = last;
        return ticker.nanos() - known.atNanos() < FRESH_NANOS ? known : count();
    }

    private synchronized Count count() {
        long now = ticker.nanos();
        if (now - last.atNanos() >= FRESH_NANOS) {
            last = new Count(
                    now,
                    byTag(client.held().map(hold -> hold.key())),
                    byTag(client.waiting().map(wait -> wait.key())));
        }
        return last;
    }

    private Map<String, Integer> byTag(Stream<LockKey> keys) {
        Map<String, Integer> count = new HashMap<>();
        keys.forEach(key -> count.merge(names.of(key.name()), 1, Integer::sum));
        return count;
    }
}
