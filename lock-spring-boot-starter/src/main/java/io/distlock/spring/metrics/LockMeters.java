package io.distlock.spring.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.function.ToDoubleFunction;

/** All meters: names and descriptions. */
enum LockMeters {
    ACQUIRE("distributed.lock.acquire", "Calls for a lock, from the call to its end"),
    HELD("distributed.lock.held", "Locks that were held, from the grant to the end"),
    ACTIVE("distributed.lock.active", "Locks that are held by this instance"),
    WAITING("distributed.lock.waiting", "Calls for a lock that have not been answered yet"),
    RENEWALS("distributed.lock.renewals", "Tries to extend a lock"),
    LOST("distributed.lock.lost", "Locks that were lost while they were held"),
    REAPED("distributed.lock.reaped", "Requests whose outcome was unknown, and what became of them"),
    REAPER_PENDING("distributed.lock.reaper.pending", "Requests whose outcome is unknown"),
    CLOCK_ANOMALIES("distributed.lock.clock.anomalies", "Leaps of the wall clock against the monotonic one");

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
