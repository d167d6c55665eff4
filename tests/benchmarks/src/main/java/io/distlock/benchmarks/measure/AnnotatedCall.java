package io.distlock.benchmarks.measure;

import io.distlock.LockClient;
import io.distlock.benchmarks.measure.SideBySide.Turn;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Store;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.template.LockTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.openjdk.jmh.annotations.Mode;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * What {@code @DistributedLock} and {@code LockTemplate} add to the client: proxy, key expression, context. On the
 * in-memory provider, because beside a round trip it would be lost in the noise; so the store is of no concern here.
 */
final class AnnotatedCall implements Measurement {

    private static final int REENTRIES = 100;

    @Override
    public String name() {
        return "annotated";
    }

    @Override
    public String title() {
        return "Call a method with @DistributedLock and a key, on the in-memory provider";
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        try (ConfigurableApplicationContext context = context();
                var baseline = new AnnotationConfigApplicationContext(SpringAnnotationsBaseline.class)) {
            Contestant client = AnnotatedShop.usingTheClient(context);
            Contestant template = AnnotatedShop.usingTheTemplate(context);
            Contestant annotated = AnnotatedShop.calling(context);
            Contestant once = AnnotatedShop.reentering(context, 0);
            Contestant often = AnnotatedShop.reentering(context, REENTRIES);
            List<Contestant> familiar = SpringAnnotationsBaseline.contestants(baseline);
            List<Contestant> all = new ArrayList<>(List.of(client, template, annotated, once, often));
            all.addAll(familiar);
            Rounds<Turn> rounds = SideBySide.rounds(
                    size, size.of(30, 10, 2), all, Mode.AverageTime, 1, size.millis(200, 100, 20), report);

            report.figure("a cycle by the client alone", micros(rounds, client), "µs");
            report.figure("the template adds", micros(rounds, template) - micros(rounds, client), "µs");
            report.figure("the annotation adds", micros(rounds, annotated) - micros(rounds, client), "µs");
            report.figure("allocated by the client alone", bytes(rounds, client), "bytes");
            report.figure("allocated by the template", bytes(rounds, template) - bytes(rounds, client), "bytes");
            report.figure("allocated by the annotation", bytes(rounds, annotated) - bytes(rounds, client), "bytes");
            report.figure(
                    "a call inside one that holds the key",
                    (micros(rounds, often) - micros(rounds, once)) / REENTRIES,
                    "µs",
                    Target.atMost(0.3));
            report.figure(
                    "a call inside one that holds the key, allocated",
                    (bytes(rounds, often) - bytes(rounds, once)) / REENTRIES,
                    "bytes",
                    Target.countAtMost(500));
            for (Contestant each : familiar) {
                report.figure("for scale: " + each.name(), micros(rounds, each), "µs");
                report.figure("for scale: " + each.name() + ", allocated", bytes(rounds, each), "bytes");
            }
        }
    }

    private static double micros(Rounds<Turn> rounds, Contestant contestant) {
        return Stopwatch.micros(rounds.median(contestant, Turn::nanos));
    }

    private static double bytes(Rounds<Turn> rounds, Contestant contestant) {
        return rounds.median(contestant, Turn::bytes);
    }

    private static ConfigurableApplicationContext context() {
        return new SpringApplicationBuilder(AnnotatedShop.class)
                .properties(Map.of("distributed-lock.provider", "in-memory", "spring.main.banner-mode", "off"))
                .logStartupInfo(false)
                .run();
    }

    /** An application with one locked method, and the same lock taken by hand. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class AnnotatedShop {

        @DistributedLock(name = "bench", key = "#item")
        void ship(int item) {}

        @DistributedLock(name = "bench", key = "#item")
        void shipHolding(int item, Runnable inside) {
            inside.run();
        }

        /** Calls the locked method so many times inside one that holds its key. */
        static Contestant reentering(ApplicationContext context, int times) {
            AnnotatedShop shop = context.getBean(AnnotatedShop.class);
            return contestant(
                    times + " re-entrant calls",
                    item -> shop.shipHolding(item, () -> {
                        for (int time = 0; time < times; time++) {
                            shop.ship(item);
                        }
                    }));
        }

        static Contestant calling(ApplicationContext context) {
            return contestant("@DistributedLock", context.getBean(AnnotatedShop.class)::ship);
        }

        static Contestant usingTheClient(ApplicationContext context) {
            LockClient locks = context.getBean(LockClient.class);
            return contestant(
                    "distlock",
                    item -> locks.acquire(locks.request("bench", Integer.toString(item)))
                            .close());
        }

        static Contestant usingTheTemplate(ApplicationContext context) {
            LockTemplate locks = context.getBean(LockTemplate.class);
            return contestant("LockTemplate", item -> locks.lock("bench", item).run(() -> {}));
        }

        static Contestant contestant(String name, IntConsumer cycle) {
            return new Contestant() {

                @Override
                public String name() {
                    return name;
                }

                @Override
                public void cycle(int item) {
                    cycle.accept(item);
                }

                @Override
                public void close() {}
            };
        }
    }
}
