package io.distlock.spring.metrics;

import io.distlock.support.ClockWatch;
import io.distlock.support.LockRuntime;
import io.distlock.support.Reaper;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** Measures what all locks of a process share: the reaper and the clocks. Thread-safe. */
record LockRuntimeMetrics(LockRuntime runtime) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        Reaper reaper = runtime.reaper();
        count(registry, LockMeters.REAPED, Tags.of("outcome", "withdrawn"), reaper, Reaper::withdrawn);
        count(registry, LockMeters.REAPED, Tags.of("outcome", "absent"), reaper, Reaper::absent);
        count(registry, LockMeters.REAPED, Tags.of("outcome", "expired"), reaper, Reaper::expired);
        count(registry, LockMeters.REAPED, Tags.of("outcome", "dropped"), reaper, Reaper::dropped);
        LockMeters.REAPER_PENDING.gauge(registry, Tags.empty(), "requests", reaper, Reaper::pending);
        ClockWatch clocks = runtime.clockWatch();
        count(registry, LockMeters.CLOCK_ANOMALIES, Tags.of("direction", "forward"), clocks, ClockWatch::forward);
        count(registry, LockMeters.CLOCK_ANOMALIES, Tags.of("direction", "backward"), clocks, ClockWatch::backward);
    }

    private static <T> void count(
            MeterRegistry registry, LockMeters meter, Tags tags, T source, ToDoubleFunction<T> count) {
        FunctionCounter.builder(meter.meterName(), source, count)
                .description(meter.description())
                .tags(tags)
                .register(registry);
    }
}
