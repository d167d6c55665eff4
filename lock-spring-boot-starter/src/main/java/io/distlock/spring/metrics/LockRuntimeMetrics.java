package io.distlock.spring.metrics;

import io.distlock.support.ClockWatch;
import io.distlock.support.LockRuntime;
import io.distlock.support.Reaper;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** Measures what all locks of a process share: the reaper and the clocks. Thread-safe. */
final class LockRuntimeMetrics implements MeterBinder {

    private final LockRuntime runtime;

    LockRuntimeMetrics(LockRuntime runtime) {
        this.runtime = runtime;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        reaped(registry, "withdrawn", Reaper::withdrawn);
        reaped(registry, "absent", Reaper::absent);
        reaped(registry, "expired", Reaper::expired);
        reaped(registry, "dropped", Reaper::dropped);
        Gauge.builder(LockMeters.REAPER_PENDING.meterName(), runtime.reaper(), Reaper::pending)
                .description(LockMeters.REAPER_PENDING.description())
                .baseUnit("requests")
                .register(registry);
        anomalies(registry, "forward", ClockWatch::forward);
        anomalies(registry, "backward", ClockWatch::backward);
    }

    private void reaped(MeterRegistry registry, String outcome, ToDoubleFunction<Reaper> count) {
        FunctionCounter.builder(LockMeters.REAPED.meterName(), runtime.reaper(), count)
                .description(LockMeters.REAPED.description())
                .tag("outcome", outcome)
                .register(registry);
    }

    private void anomalies(MeterRegistry registry, String direction, ToDoubleFunction<ClockWatch> count) {
        FunctionCounter.builder(LockMeters.CLOCK_ANOMALIES.meterName(), runtime.clockWatch(), count)
                .description(LockMeters.CLOCK_ANOMALIES.description())
                .tag("direction", direction)
                .register(registry);
    }
}
