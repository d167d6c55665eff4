package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.store.Contender;
import io.distlock.benchmarks.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * What {@code @DistributedLock} adds to the client: proxy, key expression, context. On the in-memory provider, because
 * beside a round trip it would be lost in the noise; so the store is of no concern here.
 */
final class AnnotatedCall implements Measurement {

    @Override
    public String name() {
        return "annotated";
    }

    @Override
    public String title() {
        return "Call a method with @DistributedLock and a key, on the in-memory provider";
    }

    @Override
    public void run(Store store, Effort effort, Report report) {
        int calls = effort.of(50_000, 20_000, 100);
        overhead(effort, calls, report);
        familiar(effort, calls, report);
    }

    private static void overhead(Effort effort, int calls, Report report) {
        try (ConfigurableApplicationContext context = context();
                Contender annotated = AnnotatedShop.calling(context);
                Contender client = AnnotatedShop.usingTheClient(context)) {
            Rounds<Turn> rounds = Turn.rounds(effort, List.of(annotated, client), calls);
            report.figure("a cycle by the client alone", Stopwatch.micros(rounds.median(client, Turn::nanos)), "µs");
            report.figure(
                    "the annotation adds",
                    Stopwatch.micros(rounds.median(annotated, Turn::nanos) - rounds.median(client, Turn::nanos)),
                    "µs");
            report.figure("allocated by the client alone", rounds.median(client, Turn::bytes), "bytes");
            report.figure(
                    "allocated by the annotation",
                    rounds.median(annotated, Turn::bytes) - rounds.median(client, Turn::bytes),
                    "bytes");
        }
    }

    /** For scale. */
    private static void familiar(Effort effort, int calls, Report report) {
        try (var context = new AnnotationConfigApplicationContext(FamiliarShop.class)) {
            List<Contender> all = new ArrayList<>(FamiliarShop.annotated(context));
            all.add(0, FamiliarShop.calledDirectly());
            Rounds<Turn> rounds = Turn.rounds(effort, all, calls);
            all.forEach(each -> report.figure(
                    "for scale: " + each.name(), Stopwatch.micros(rounds.median(each, Turn::nanos)), "µs"));
        }
    }

    private static ConfigurableApplicationContext context() {
        return new SpringApplicationBuilder(AnnotatedShop.class)
                .properties(Map.of("distributed-lock.provider", "in-memory", "spring.main.banner-mode", "off"))
                .logStartupInfo(false)
                .run();
    }
}
