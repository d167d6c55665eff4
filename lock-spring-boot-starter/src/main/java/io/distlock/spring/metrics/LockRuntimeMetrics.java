package io.distlock.spring.metrics;

import io.distlock.support.ClockWatch;
import io.distlock.support.LockRuntime;
import io.distlock.support.Reaper;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;

/** Measures what all locks of a process share: the reaper and the clocks. Thread-safe. */
record LockRuntimeMetrics(LockRuntime runtime) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        Reaper reaper = runtime.reaper();
        ClockWatch clocks = runtime.clockWatch();
        LockMetrics.Meters.REAPED.counter(registry, Tags.of("outcome", "withdrawn"), reaper, Reaper::withdrawn);
        LockMetrics.Meters.REAPED.counter(registry, Tags.of("outcome", "absent"), reaper, Reaper::absent);
        LockMetrics.Meters.REAPED.counter(registry, Tags.of("outcome", "expired"), reaper, Reaper::expired);
        LockMetrics.Meters.REAPED.counter(registry, Tags.of("outcome", "dropped"), reaper, Reaper::dropped);
        LockMetrics.Meters.REAPER_PENDING.gauge(registry, Tags.empty(), "requests", reaper, Reaper::pending);
        LockMetrics.Meters.CLOCK_ANOMALIES.counter(
                registry, Tags.of("direction", "forward"), clocks, ClockWatch::forward);
        LockMetrics.Meters.CLOCK_ANOMALIES.counter(
                registry, Tags.of("direction", "backward"), clocks, ClockWatch::backward);
    }
}
