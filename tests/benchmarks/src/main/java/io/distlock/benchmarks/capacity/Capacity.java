package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.capacity.Growth.Burst;
import io.distlock.benchmarks.capacity.Growth.Measured;
import io.distlock.benchmarks.capacity.Growth.Point;
import io.distlock.benchmarks.etcd.EtcdStore;
import io.distlock.benchmarks.jdbc.JdbcStore;
import io.distlock.benchmarks.measure.RunSize;
import io.distlock.benchmarks.measure.Stopwatch;
import io.distlock.benchmarks.redis.RedisStore;
import io.distlock.benchmarks.redis.RedlockStore;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.zookeeper.ZooKeeperStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Measures how the cost of locks grows: {@code [--quick] [--page] [provider ...] [part ...]}. See docs/capacity.md. */
public final class Capacity {

    private static final String QUICK = "--quick";
    private static final String TINY = "--tiny";
    private static final String PAGE = "--page";
    private static final String REDRAW = "--redraw";
    private static final String THROUGH = "through";
    private static final int NOT_UNDERSTOOD = 2;
    private static final int WARM_UPS = 4;
    private static final Duration STALL = Duration.ofSeconds(2);

    private static final List<Provider> PROVIDERS = List.of(
            new Provider("redis", RedisStore::start),
            new Provider("redlock", RedlockStore::start),
            new Provider("etcd", EtcdStore::start),
            new Provider("zookeeper", ZooKeeperStore::start),
            new Provider("jdbc", JdbcStore::start));

    /**
     * What can be measured.
     *
     * @param word its name on the command line
     */
    private record Provider(String word, Supplier<Store> store) {}

    private final RunSize size;
    private final List<String> parts;
    private final List<String> failures = new ArrayList<>();

    private Capacity(RunSize size, List<String> parts) {
        this.size = size;
        this.parts = parts;
    }

    /** Ends with 1 if a lock was lost, or if something could not be measured. */
    public static void main(String[] words) {
        List<String> asked = List.of(words);
        List<String> parts = Stream.concat(Arrays.stream(Curve.values()).map(Curve::word), Stream.of(THROUGH))
                .toList();
        List<String> providers = PROVIDERS.stream().map(Provider::word).toList();
        List<String> known = Stream.of(List.of(QUICK, TINY, PAGE, REDRAW), providers, parts)
                .flatMap(List::stream)
                .toList();
        if (!known.containsAll(asked)) {
            System.err.printf(
                    "usage: scripts/capacity [--quick] [--page] [provider ...] [part ...]%n  providers: %s%n  parts: %s%n",
                    providers, parts);
            System.exit(NOT_UNDERSTOOD);
        }
        CapacityPage page = new CapacityPage(Path.of("docs"));
        if (asked.contains(REDRAW)) {
            page.write();
            return;
        }
        RunSize size = asked.contains(QUICK) ? RunSize.QUICK : asked.contains(TINY) ? RunSize.TINY : RunSize.FULL;
        Capacity capacity = new Capacity(size, orAll(parts, asked));
        boolean lost = false;
        List<String> wanted = orAll(providers, asked);
        for (Provider provider : PROVIDERS) {
            if (!wanted.contains(provider.word())) {
                continue;
            }
            lost |= capacity.measure(provider, growth -> {
                // After each of them: hours of work are not to be lost to the last one.
                if (asked.contains(PAGE)) {
                    page.write(growth);
                }
            });
        }
        capacity.failures.forEach(failure -> System.out.println("NOT MEASURED: " + failure));
        System.exit(lost || !capacity.failures.isEmpty() ? 1 : 0);
    }

    /** Those of the words that were asked for; all if none was. */
    private static List<String> orAll(List<String> words, List<String> asked) {
        List<String> named = words.stream().filter(asked::contains).toList();
        return named.isEmpty() ? words : named;
    }

    /**
     * All that was asked for of one provider, on servers of its own.
     *
     * @param done is given the figures before the servers end, which may fail
     * @return whether a lock was lost
     */
    private boolean measure(Provider provider, Consumer<Growth> done) {
        Stopwatch watch = Stopwatch.start();
        boolean lost = false;
        try (Store store = provider.store().get()) {
            Growth growth = new Growth(List.of(measure(store)));
            done.accept(growth);
            lost = growth.hasLost();
        } catch (RuntimeException failure) {
            failure.printStackTrace(System.out);
            failures.add(provider.word() + ": " + failure);
        }
        System.out.printf(Locale.ROOT, "  all of %s: %.0f s%n", provider.word(), watch.nanos() / 1e9);
        return lost;
    }

    private Measured measure(Store store) {
        String origin = "%s, %d processors, load %.0f"
                .formatted(
                        System.getProperty("capacity.origin", "unknown"),
                        Runtime.getRuntime().availableProcessors(),
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        System.out.printf("%n%s, %s%n", store.server(), origin);
        // Loads classes, fills caches and compiles, all of which would count as the first client's.
        for (int warmUp = 0; warmUp < WARM_UPS && size != RunSize.TINY; warmUp++) {
            Curve.THREADS.measure(store, Cycles.SOME_THREADS, RunSize.QUICK);
        }
        List<Point> points = new ArrayList<>();
        Arrays.stream(Curve.values())
                .filter(curve -> parts.contains(curve.word()))
                .forEach(curve -> points.addAll(points(curve, store)));
        List<Burst> bursts = parts.contains(THROUGH) ? bursts(store) : List.of();
        return new Measured(store.name(), store.server(), origin, points, bursts);
    }

    private List<Point> points(Curve curve, Store store) {
        Stopwatch watch = Stopwatch.start();
        List<Point> points = curve.sizes(store.name(), size).stream()
                .flatMap(each ->
                        attempted(curve.word() + ' ' + each, store, () -> curve.measure(store, each, size)).stream()
                                .map(cost -> shown(new Point(curve, each, cost))))
                .toList();
        System.out.printf(Locale.ROOT, "  %s: %.0f s%n", curve.word(), watch.nanos() / 1e9);
        return points;
    }

    /** A point that fails leaves the others as they are. */
    private <T> Optional<T> attempted(String what, Store store, Supplier<T> measured) {
        try {
            return Optional.of(measured.get());
        } catch (RuntimeException failure) {
            failure.printStackTrace(System.out);
            failures.add(store.name() + ", " + what + ": " + failure);
            return Optional.empty();
        }
    }

    private List<Burst> bursts(Store store) {
        Stopwatch watch = Stopwatch.start();
        HeldThrough held = new HeldThrough(size.of(Curve.MANY, Curve.MANY, 100), Curve.LEASE, STALL);
        List<Burst> bursts = new ArrayList<>();
        attempted("a stall and a cut", store, () -> held.on(store)).ifPresent(bursts::addAll);
        attempted(
                        "the leader killed",
                        store,
                        () -> Ensemble.withLeader(store.name()).map(servers -> {
                            try (servers) {
                                return held.on(servers);
                            }
                        }))
                .flatMap(burst -> burst)
                .ifPresent(bursts::add);
        bursts.forEach(burst -> System.out.println("  " + burst));
        System.out.printf(Locale.ROOT, "  %s: %.0f s%n", THROUGH, watch.nanos() / 1e9);
        return bursts;
    }

    private static Point shown(Point point) {
        Cost cost = point.cost();
        System.out.printf(
                Locale.ROOT,
                "  %-9s %,9d %,9.0f/s  p50 %8.3f ms  p99 %9.3f ms  heap %,12d  commands %8.1f  connections %4d  lost %d"
                        + "  server %,7.1f µs  client %,7.1f µs%n",
                point.curve(),
                point.size(),
                cost.perSecond(),
                cost.p50Millis(),
                cost.p99Millis(),
                cost.heapBytes(),
                cost.commands(),
                cost.connections(),
                cost.lost(),
                cost.processor().servers(),
                cost.processor().clients());
        return point;
    }
}
