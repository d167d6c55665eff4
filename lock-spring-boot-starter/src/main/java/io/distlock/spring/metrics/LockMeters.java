package io.distlock.spring.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.function.ToDoubleFunction;

/** All meters: names and descriptions. */
enum LockMeters {
    ACQUIRE("distributed.lock.acquire", "Time from a request for a lock to its answer"),
    HELD("distributed.lock.held", "Time from the grant of a lock to its release or loss"),
    ACTIVE("distributed.lock.active", "Locks currently held by this instance"),
    WAITING("distributed.lock.waiting", "Requests for a lock that are still waiting"),
    RENEWALS("distributed.lock.renewals", "Attempts to renew a lock"),
    LOST("distributed.lock.lost", "Locks lost while held"),
    REAPED("distributed.lock.reaped", "Requests with an unknown outcome that the reaper has settled"),
    REAPER_PENDING(
            "distributed.lock.reaper.pending", "Requests with an unknown outcome that the reaper has yet to settle"),
    CLOCK_ANOMALIES("distributed.lock.clock.anomalies", "Jumps of the wall clock relative to the monotonic clock");

    private final String meterName;
    private final String description;

    LockMeters(String meterName, String description) {
        this.meterName = meterName;
        this.description = description;
    }

    String meterName() {
        return meterName;
    }

    String description() {
        return description;
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
        return Counter.builder(meterName).description(description).tags(tags).register(registry);
    }
}
