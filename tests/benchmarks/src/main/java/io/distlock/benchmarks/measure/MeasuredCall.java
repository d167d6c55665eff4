package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.AnnotatedCall.AnnotatedShop;
import io.distlock.benchmarks.measure.SideBySide.Turn;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Store;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Mode;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** What metrics add to the client, on the in-memory provider: the store is of no concern here. */
final class MeasuredCall implements Measurement {

    @Override
    public String name() {
        return "metrics";
    }

    @Override
    public String title() {
        return "Acquire and release with metrics and without, on the in-memory provider";
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        try (ConfigurableApplicationContext with = context(true);
                ConfigurableApplicationContext without = context(false);
                Contestant measured = AnnotatedShop.usingTheClient(with);
                Contestant plain = AnnotatedShop.usingTheClient(without)) {
            List<Contestant> both = List.of(measured, plain);
            Rounds<Turn> rounds = SideBySide.rounds(
                    size, size.of(30, 10, 2), both, Mode.AverageTime, 1, size.millis(200, 100, 20), report);
            report.figure("a cycle without metrics", Stopwatch.micros(rounds.median(plain, Turn::nanos)), "µs");
            report.figure("a cycle with metrics", Stopwatch.micros(rounds.median(measured, Turn::nanos)), "µs");
            report.figure(
                    "metrics add",
                    Stopwatch.micros(rounds.median(measured, Turn::nanos) - rounds.median(plain, Turn::nanos)),
                    "µs");
            report.figure(
                    "allocated by metrics",
                    rounds.median(measured, Turn::bytes) - rounds.median(plain, Turn::bytes),
                    "bytes");
        }
    }

    private static ConfigurableApplicationContext context(boolean metrics) {
        return new SpringApplicationBuilder(AnnotatedShop.class)
                .properties(Map.of("distributed-lock.provider", "in-memory", "spring.main.banner-mode", "off"))
                .initializers(context -> {
                    if (metrics && context instanceof GenericApplicationContext generic) {
                        generic.registerBean("registry", MeterRegistry.class, SimpleMeterRegistry::new);
                    }
                })
                .logStartupInfo(false)
                .run();
    }
}
