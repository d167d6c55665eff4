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
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Measures the locks of each client. The tag {@code lock} is the name of a lock, never its key. A call costs a look-up
 * of its name and the recording itself. Thread-safe.
 *
 * @param ticker limits how often the gauges are counted
 */
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

    private enum RenewalOutcome {
        CONFIRMED,
        UNCONFIRMED
    }

    /** The meters of one client, by lock name. */
    private final class ClientMeters implements LockListener {

        private final String provider;
        private final LockGauges gauges;
        private final ConcurrentHashMap<String, NameMeters> byTag = new ConcurrentHashMap<>();

        ClientMeters(LockClient client) {
            this.provider = client.provider();
            this.gauges = new LockGauges(client, names, ticker);
        }

        @Override
        public void onEvent(LockEvent event) {
            of(event.key().name()).count(event);
        }

        private NameMeters of(String name) {
            // A name used as a tag is its own key once seen.
            NameMeters known = byTag.get(name);
            return known != null
                    ? known
                    : byTag.computeIfAbsent(names.of(name), tag -> new NameMeters(registry, tag, provider, gauges));
        }
    }

    /** The meters of one lock name at one provider, each looked up in the registry once. */
    private static final class NameMeters {

        private final Tags tags;
        private final Map<LockMode, MetersBy<AcquireOutcome, Timer>> acquire;
        private final Map<LockMode, MetersBy<HeldOutcome, Timer>> held;
        private final MetersBy<RenewalOutcome, Counter> renewals;
        private final MetersBy<LockLoss.Reason, Counter> lost;

        NameMeters(MeterRegistry registry, String tag, String provider, LockGauges gauges) {
            this.tags = Tags.of("lock", tag, "provider", provider);
            this.acquire = byMode((mode, outcome) -> LockMeters.ACQUIRE.timer(registry, tags(mode, outcome)));
            this.held = byMode((mode, outcome) -> LockMeters.HELD.timer(registry, tags(mode, outcome)));
            this.renewals = new MetersBy<>(
                    outcome -> LockMeters.RENEWALS.counter(registry, tags.and("outcome", text(outcome))));
            this.lost = new MetersBy<>(reason -> LockMeters.LOST.counter(registry, tags.and("reason", text(reason))));
            // Registered before the first event, or an alert on an increase would miss it.
            renewals.of(RenewalOutcome.UNCONFIRMED);
            for (LockLoss.Reason reason : LockLoss.Reason.values()) {
                lost.of(reason);
            }
            LockMeters.ACTIVE.gauge(registry, tags, "locks", gauges, counts -> counts.held(tag));
            LockMeters.WAITING.gauge(registry, tags, "calls", gauges, counts -> counts.waiting(tag));
        }

        private Tags tags(LockMode mode, Enum<?> outcome) {
            return tags.and("mode", text(mode), "outcome", text(outcome));
        }

        private static String text(Enum<?> value) {
            return value.name().toLowerCase(Locale.ROOT);
        }

        private static <E extends Enum<E>, M> Map<LockMode, MetersBy<E, M>> byMode(BiFunction<LockMode, E, M> maker) {
            Map<LockMode, MetersBy<E, M>> tables = new EnumMap<>(LockMode.class);
            for (LockMode mode : LockMode.values()) {
                tables.put(mode, new MetersBy<>(value -> maker.apply(mode, value)));
            }
            return tables;
        }

        void count(LockEvent event) {
            if (event instanceof LockEvent.Acquired acquired) {
                called(acquired, AcquireOutcome.ACQUIRED, acquired.waited());
            } else if (event instanceof LockEvent.NotAcquired refused) {
                called(refused, AcquireOutcome.NOT_ACQUIRED, refused.waited());
            } else if (event instanceof LockEvent.Failed failed) {
                called(failed, AcquireOutcome.of(failed), failed.waited());
            } else if (event instanceof LockEvent.Released released) {
                ended(released, HeldOutcome.of(released.outcome()), released.heldFor());
            } else if (event instanceof LockEvent.Lost gone) {
                ended(gone, HeldOutcome.LOST, gone.loss().heldFor());
                lost.of(gone.loss().reason()).increment();
            } else if (event instanceof LockEvent.Renewed renewed) {
                renewals.of(renewed.confirmed() ? RenewalOutcome.CONFIRMED : RenewalOutcome.UNCONFIRMED)
                        .increment();
            }
        }

        private void called(LockEvent event, AcquireOutcome outcome, Duration waited) {
            Objects.requireNonNull(acquire.get(event.mode())).of(outcome).record(waited);
        }

        private void ended(LockEvent event, HeldOutcome outcome, Duration heldFor) {
            Objects.requireNonNull(held.get(event.mode())).of(outcome).record(heldFor);
        }
    }

    /**
     * Meters by the value of a tag, each made on first use: a lock that is never shared has no shared-mode meters.
     */
    private static final class MetersBy<E extends Enum<E>, M> {

        private final Map<E, M> meters = new ConcurrentHashMap<>();
        private final Function<E, M> maker;

        MetersBy(Function<E, M> maker) {
            this.maker = maker;
        }

        M of(E value) {
            M known = meters.get(value);
            return known == null ? meters.computeIfAbsent(value, maker) : known;
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
