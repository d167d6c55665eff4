package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.store.Contender;
import io.distlock.benchmarks.store.Store;
import java.util.List;
import java.util.Map;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

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
        try (ConfigurableApplicationContext context = context();
                Contender annotated = AnnotatedShop.calling(context);
                Contender client = AnnotatedShop.usingTheClient(context)) {
            List<Contender> both = List.of(annotated, client);
            Rounds.of(effort.of(6, 6, 1), both, contender -> Turn.of(contender, calls));
            Rounds<Turn> rounds = Rounds.of(effort.of(30, 10, 2), both, contender -> Turn.of(contender, calls));
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

    private static ConfigurableApplicationContext context() {
        return new SpringApplicationBuilder(AnnotatedShop.class)
                .properties(Map.of("distributed-lock.provider", "in-memory", "spring.main.banner-mode", "off"))
                .logStartupInfo(false)
                .run();
    }
}
