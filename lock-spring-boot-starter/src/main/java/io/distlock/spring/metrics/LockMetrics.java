package io.distlock.spring.metrics;

import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClientCustomizer;
import io.distlock.spring.client.MeterNameLimiter;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Measures the locks of each client. The tag {@code lock} is the name of a lock, never its key. Thread-safe. */
record LockMetrics(MeterRegistry registry, MeterNameLimiter names, Ticker ticker) implements LockClientCustomizer {

    @Override
    public LockClient customize(LockClient client) {
        client.addListener(new ClientMeters(client));
        return client;
    }

    enum AcquireOutcome {
        ACQUIRED,

        /** Others held it for the whole wait time. */
        NOT_ACQUIRED,

        /** The store did not answer. */
        UNAVAILABLE,

        /** The caller gave up: cancelled, or interrupted. */
        CANCELLED;

        static AcquireOutcome of(LockEvent.Failed failed) {
            return failed.cause() instanceof CancellationException ? CANCELLED : UNAVAILABLE;
        }
    }

    enum HeldOutcome {
        RELEASED,

        /** Released, but the store did not answer; the lock is withdrawn in the background, or expires. */
        UNKNOWN,
        LOST;

        /** A release that finds another owner counts as a loss. */
        static HeldOutcome of(Release release) {
            return switch (release) {
                case RELEASED -> RELEASED;
                case UNKNOWN -> UNKNOWN;
                case NOT_OWNER -> LOST;
            };
        }
    }

    private static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** The meters of one client. Timers are looked up in the registry once, since each call needs two. */
    private final class ClientMeters implements LockListener {

        private final String provider;
        private final LockGauges gauges;
        private final Set<String> registered = ConcurrentHashMap.newKeySet();
        private final Map<Series, Timer> timers = new ConcurrentHashMap<>();

        private record Series(LockMeters meter, String lock, LockMode mode, Enum<?> outcome) {}

        ClientMeters(LockClient client) {
            this.provider = client.provider();
            this.gauges = new LockGauges(client, names, ticker);
        }

        @Override
        public void onEvent(LockEvent event) {
            String lock = names.of(event.key().name());
            if (registered.add(lock)) {
                register(lock);
            }
            if (event instanceof LockEvent.Acquired acquired) {
                record(LockMeters.ACQUIRE, lock, event, AcquireOutcome.ACQUIRED, acquired.waited());
            } else if (event instanceof LockEvent.NotAcquired refused) {
                record(LockMeters.ACQUIRE, lock, event, AcquireOutcome.NOT_ACQUIRED, refused.waited());
            } else if (event instanceof LockEvent.Failed failed) {
                record(LockMeters.ACQUIRE, lock, event, AcquireOutcome.of(failed), failed.waited());
            } else if (event instanceof LockEvent.Released released) {
                record(LockMeters.HELD, lock, event, HeldOutcome.of(released.outcome()), released.heldFor());
            } else if (event instanceof LockEvent.Lost lost) {
                record(
                        LockMeters.HELD,
                        lock,
                        event,
                        HeldOutcome.LOST,
                        lost.loss().heldFor());
                losses(lock, lost.loss().reason()).increment();
            } else if (event instanceof LockEvent.Renewed renewed) {
                renewals(lock, renewed.confirmed()).increment();
            }
        }

        /** Before the first event, or an alert on an increase would miss it. */
        private void register(String lock) {
            renewals(lock, false);
            for (LockLoss.Reason reason : LockLoss.Reason.values()) {
                losses(lock, reason);
            }
            LockMeters.ACTIVE.gauge(registry, tags(lock), "locks", gauges, counts -> counts.held(lock));
            LockMeters.WAITING.gauge(registry, tags(lock), "calls", gauges, counts -> counts.waiting(lock));
        }

        private void record(LockMeters meter, String lock, LockEvent event, Enum<?> outcome, Duration time) {
            Series series = new Series(meter, lock, event.mode(), outcome);
            Timer known = timers.get(series);
            (known == null ? timers.computeIfAbsent(series, this::timer) : known).record(time);
        }

        private Timer timer(Series its) {
            return its.meter()
                    .timer(registry, tags(its.lock()).and("mode", text(its.mode()), "outcome", text(its.outcome())));
        }

        private Counter renewals(String lock, boolean confirmed) {
            return LockMeters.RENEWALS.counter(
                    registry, tags(lock).and("outcome", confirmed ? "confirmed" : "unconfirmed"));
        }

        private Counter losses(String lock, LockLoss.Reason reason) {
            return LockMeters.LOST.counter(registry, tags(lock).and("reason", text(reason)));
        }

        private Tags tags(String lock) {
            return Tags.of("lock", lock, "provider", provider);
        }
    }

    /**
     * How many locks of each name a client holds and waits for. Counted on demand from the client's own records: calls cost
     * nothing extra, and figures cannot drift. Counted at most once a second, since a registry reads one gauge after another.
     * Thread-safe.
     */
    private static final class LockGauges {

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
}
