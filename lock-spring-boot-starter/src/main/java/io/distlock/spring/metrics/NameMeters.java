package io.distlock.spring.metrics;

import io.distlock.LockEvent;
import io.distlock.LockMode;
import io.distlock.LossReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/** The meters of one lock name at one provider, each looked up in the registry once. Thread-safe. */
final class NameMeters {

    private final Map<LockMode, MetersBy<AcquireOutcome, Timer>> acquire;
    private final Map<LockMode, MetersBy<HeldOutcome, Timer>> held;
    private final MetersBy<RenewalOutcome, Counter> renewals;
    private final MetersBy<LossReason, Counter> lost;

    private enum RenewalOutcome {
        CONFIRMED,
        UNCONFIRMED
    }

    NameMeters(MeterRegistry registry, MeterTags tags, Census census) {
        this.acquire = MetersBy.each(
                LockMode.class, (mode, outcome) -> LockMeters.ACQUIRE.timer(registry, tags.with(mode, outcome)));
        this.held = MetersBy.each(
                LockMode.class, (mode, outcome) -> LockMeters.HELD.timer(registry, tags.with(mode, outcome)));
        this.renewals = new MetersBy<>(outcome -> LockMeters.RENEWALS.counter(registry, tags.with("outcome", outcome)));
        this.lost = new MetersBy<>(reason -> LockMeters.LOST.counter(registry, tags.with("reason", reason)));
        // There before the first trouble, or an alert on their increase would miss just that one.
        renewals.of(RenewalOutcome.UNCONFIRMED);
        for (LossReason reason : LossReason.values()) {
            lost.of(reason);
        }
        gauges(registry, tags, census);
    }

    private static void gauges(MeterRegistry registry, MeterTags tags, Census census) {
        Gauge.builder(LockMeters.ACTIVE.meterName(), census, counts -> counts.held(tags.lock()))
                .description(LockMeters.ACTIVE.description())
                .baseUnit("locks")
                .tags(tags.all())
                .register(registry);
        Gauge.builder(LockMeters.WAITING.meterName(), census, counts -> counts.waiting(tags.lock()))
                .description(LockMeters.WAITING.description())
                .baseUnit("calls")
                .tags(tags.all())
                .register(registry);
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
