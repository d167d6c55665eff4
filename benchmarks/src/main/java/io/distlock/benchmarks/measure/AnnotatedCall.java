package io.distlock.benchmarks.measure;

import com.sun.management.ThreadMXBean;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.store.Contender;
import io.distlock.benchmarks.store.Store;
import java.lang.management.ManagementFactory;
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

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

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
            Rounds<Turn> rounds = rounds(effort, List.of(annotated, client), calls);
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
            Rounds<Turn> rounds = rounds(effort, all, calls);
            all.forEach(each -> report.figure(
                    "for scale: " + each.name(), Stopwatch.micros(rounds.median(each, Turn::nanos)), "µs"));
        }
    }

    private static Rounds<Turn> rounds(Effort effort, List<Contender> contenders, int calls) {
        // The compiler is not to be measured.
        Rounds.of(effort.of(6, 6, 1), contenders, contender -> calls(contender, calls));
        return Rounds.of(effort.of(30, 10, 2), contenders, contender -> calls(contender, calls));
    }

    private static ConfigurableApplicationContext context() {
        return new SpringApplicationBuilder(AnnotatedShop.class)
                .properties(Map.of("distributed-lock.provider", "in-memory", "spring.main.banner-mode", "off"))
                .logStartupInfo(false)
                .run();
    }

    /**
     * How a turn went, by call.
     *
     * @param nanos the time
     * @param bytes what the calling thread, which does all the work, has allocated
     */
    private record Turn(double nanos, double bytes) {}

    private static Turn calls(Contender contender, int calls) {
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        Stopwatch watch = Stopwatch.start();
        for (int call = 0; call < calls; call++) {
            contender.cycle(call % Contender.ITEMS);
        }
        double nanos = watch.nanos();
        return new Turn(nanos / calls, (double) (THREADS.getCurrentThreadAllocatedBytes() - bytes) / calls);
    }
}
