package io.distlock.spring.metrics;

import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.WaiterInfo;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClientCustomizer;
import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.support.ClockJumpDetector;
import io.distlock.support.LockRuntime;
import io.distlock.support.Reaper;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures the locks of each client. The tag {@code lock} is the name of a lock, never its key, except for the locks of roles:
 * those are few, and the roles are not alike. No waits or holds of theirs are measured, since they last for days: that a
 * candidate waits is not trouble, and {@code distributed.leader} shows who leads. Thread-safe.
 */
record LockMetrics(MeterRegistry registry, MeterNameLimiter names, Ticker ticker) implements LockClientCustomizer {

    @Override
    public LockClient customize(LockClient client) {
        client.addListener(new ClientMeters(client));
        return client;
    }

    /** How a request for a lock ends, or the time it is held. */
    enum Outcome {
        ACQUIRED,

        /** Others held it for the whole wait time. */
        NOT_ACQUIRED,

        /** The store did not answer. */
        UNAVAILABLE,

        /** The caller gave up: cancelled, or interrupted. */
        CANCELLED,
        RELEASED,

        /** Released, but the store did not answer; the lock is withdrawn in the background, or expires. */
        UNKNOWN,
        LOST;

        static Outcome of(LockEvent.Failed failed) {
            return failed.cause() instanceof CancellationException ? CANCELLED : UNAVAILABLE;
        }

        /** A release that finds another owner counts as a loss. */
        static Outcome of(Release release) {
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

        private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

        private final LockClient client;
        private final Set<String> registered = ConcurrentHashMap.newKeySet();
        private final Map<Series, Timer> timers = new ConcurrentHashMap<>();

        private Counts counts = new Counts(ticker.nanos() - FRESH_NANOS, Map.of(), Map.of());

        private record Series(Meters meter, String lock, LockMode mode, Outcome outcome) {}

        private record Counts(long atNanos, Map<String, Integer> held, Map<String, Integer> waiting) {}

        ClientMeters(LockClient client) {
            this.client = client;
        }

        @Override
        public void onEvent(LockEvent event) {
            boolean timed = !MeterNameLimiter.isOfARole(event.key());
            String lock = names.of(event.key());
            if (registered.add(lock)) {
                register(lock);
            }
            if (event instanceof LockEvent.Lost lost) {
                losses(lock, lost.loss().reason()).increment();
            } else if (event instanceof LockEvent.Renewed renewed) {
                renewals(lock, renewed.confirmed()).increment();
            }
            if (timed) {
                time(lock, event);
            }
        }

        private void time(String lock, LockEvent event) {
            if (event instanceof LockEvent.Acquired acquired) {
                record(Meters.ACQUIRE, lock, event, Outcome.ACQUIRED, acquired.waited());
            } else if (event instanceof LockEvent.NotAcquired refused) {
                record(Meters.ACQUIRE, lock, event, Outcome.NOT_ACQUIRED, refused.waited());
            } else if (event instanceof LockEvent.Failed failed) {
                record(Meters.ACQUIRE, lock, event, Outcome.of(failed), failed.waited());
            } else if (event instanceof LockEvent.Released released) {
                record(Meters.HELD, lock, event, Outcome.of(released.outcome()), released.heldFor());
            } else if (event instanceof LockEvent.Lost lost) {
                record(Meters.HELD, lock, event, Outcome.LOST, lost.loss().heldFor());
            }
        }

        /** Before the first event, or an alert on an increase would miss it. */
        private void register(String lock) {
            renewals(lock, false);
            for (LockLoss.Reason reason : LockLoss.Reason.values()) {
                losses(lock, reason);
            }
            Meters.ACTIVE.gauge(
                    registry,
                    tags(lock),
                    "locks",
                    this,
                    its -> its.counts().held().getOrDefault(lock, 0));
            Meters.WAITING.gauge(
                    registry,
                    tags(lock),
                    "calls",
                    this,
                    its -> its.counts().waiting().getOrDefault(lock, 0));
        }

        private void record(Meters meter, String lock, LockEvent event, Outcome outcome, Duration time) {
            Series series = new Series(meter, lock, event.mode(), outcome);
            Timer known = timers.get(series);
            (known == null ? timers.computeIfAbsent(series, this::timer) : known).record(time);
        }

        private Timer timer(Series its) {
            return its.meter()
                    .timer(registry, tags(its.lock()).and("mode", text(its.mode()), "outcome", text(its.outcome())));
        }

        private Counter renewals(String lock, boolean confirmed) {
            return Meters.RENEWALS.counter(
                    registry, tags(lock).and("outcome", confirmed ? "confirmed" : "unconfirmed"));
        }

        private Counter losses(String lock, LockLoss.Reason reason) {
            return Meters.LOST.counter(registry, tags(lock).and("reason", text(reason)));
        }

        private Tags tags(String lock) {
            return Tags.of("lock", lock, "provider", client.provider());
        }

        /**
         * How many locks of each name the client holds and waits for. Counted on demand from the client's own records: calls
         * cost nothing extra, and figures cannot drift. At most once a second, since a registry reads one gauge after another.
         */
        private synchronized Counts counts() {
            long now = ticker.nanos();
            if (now - counts.atNanos() >= FRESH_NANOS) {
                counts = new Counts(
                        now,
                        byTag(client.held().map(HeldLockInfo::key)),
                        byTag(client.waiting().map(WaiterInfo::key).filter(key -> !MeterNameLimiter.isOfARole(key))));
            }
            return counts;
        }

        private Map<String, Integer> byTag(Stream<LockKey> keys) {
            return keys.collect(Collectors.toMap(key -> names.of(key), key -> 1, Integer::sum));
        }
    }

    /** Measures what all locks of a process share: the reaper and the clocks. Thread-safe. */
    record RuntimeMeters(LockRuntime runtime) implements MeterBinder {

        @Override
        public void bindTo(MeterRegistry registry) {
            Reaper reaper = runtime.reaper();
            ClockJumpDetector clocks = runtime.clockJumps();
            Meters.REAPED.counter(registry, Tags.of("outcome", "withdrawn"), reaper, Reaper::withdrawn);
            Meters.REAPED.counter(registry, Tags.of("outcome", "absent"), reaper, Reaper::absent);
            Meters.REAPED.counter(registry, Tags.of("outcome", "expired"), reaper, Reaper::expired);
            Meters.REAPED.counter(registry, Tags.of("outcome", "dropped"), reaper, Reaper::dropped);
            Meters.REAPER_PENDING.gauge(registry, Tags.empty(), "requests", reaper, Reaper::pending);
            Meters.CLOCK_ANOMALIES.counter(
                    registry, Tags.of("direction", "forward"), clocks, ClockJumpDetector::forward);
            Meters.CLOCK_ANOMALIES.counter(
                    registry, Tags.of("direction", "backward"), clocks, ClockJumpDetector::backward);
        }
    }

    /** All meters: names and descriptions. */
    enum Meters {
        ACQUIRE("distributed.lock.acquire", "Time from a request for a lock to its answer"),
        HELD("distributed.lock.held", "Time from the grant of a lock to its release or loss"),
        ACTIVE("distributed.lock.active", "Locks currently held by this instance"),
        WAITING("distributed.lock.waiting", "Requests for a lock that are still waiting"),
        RENEWALS("distributed.lock.renewals", "Attempts to renew a lock"),
        LOST("distributed.lock.lost", "Locks lost while held"),
        REAPED("distributed.lock.reaped", "Requests with an unknown outcome that the reaper has settled"),
        REAPER_PENDING(
                "distributed.lock.reaper.pending",
                "Requests with an unknown outcome that the reaper has yet to settle"),
        CLOCK_ANOMALIES("distributed.lock.clock.anomalies", "Jumps of the wall clock relative to the monotonic clock");

        private final String meterName;
        private final String description;

        Meters(String meterName, String description) {
            this.meterName = meterName;
            this.description = description;
        }

        String meterName() {
            return meterName;
        }

        Timer timer(MeterRegistry registry, Tags tags) {
            return Timer.builder(meterName).description(description).tags(tags).register(registry);
        }

        <T> void gauge(MeterRegistry registry, Tags tags, String unit, T source, ToDoubleFunction<T> value) {
            Gauge.builder(meterName, source, value)
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry);
        }

        Counter counter(MeterRegistry registry, Tags tags) {
            return Counter.builder(meterName)
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }

        <T> void counter(MeterRegistry registry, Tags tags, T source, ToDoubleFunction<T> count) {
            FunctionCounter.builder(meterName, source, count)
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }
    }
}
