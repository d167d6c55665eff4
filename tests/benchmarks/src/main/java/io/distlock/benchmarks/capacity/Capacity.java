package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.capacity.Growth.Burst;
import io.distlock.benchmarks.capacity.Growth.Measured;
import io.distlock.benchmarks.capacity.Growth.Point;
import io.distlock.benchmarks.etcd.EtcdStore;
import io.distlock.benchmarks.jdbc.JdbcStore;
import io.distlock.benchmarks.measure.RunSize;
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
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Measures how the cost of locks grows: {@code [--quick] [--page] [provider ...]}. See docs/capacity.md. */
public final class Capacity {

    private static final String QUICK = "--quick";
    private static final String PAGE = "--page";
    private static final int NOT_UNDERSTOOD = 2;
    private static final int MANY = 10_000;
    private static final Duration STALL = Duration.ofSeconds(2);

    private static final List<Provider> PROVIDERS = List.of(
            new Provider("redis", RedisStore::start, Optional.empty()),
            new Provider("redlock", RedlockStore::start, Optional.empty()),
            new Provider("etcd", EtcdStore::start, Optional.of(Ensemble::etcd)),
            new Provider("zookeeper", ZooKeeperStore::start, Optional.of(Ensemble::zooKeeper)),
            new Provider("jdbc", JdbcStore::start, Optional.empty()));

    /**
     * What can be measured.
     *
     * @param word its name on the command line
     * @param ensemble servers with a leader, if the store has such
     */
    private record Provider(String word, Supplier<Store> store, Optional<Supplier<Ensemble>> ensemble) {}

    private Capacity() {}

    /** Ends with 1 if a lock was lost. */
    public static void main(String[] words) {
        List<String> asked = List.of(words);
        List<Provider> named =
                PROVIDERS.stream().filter(each -> asked.contains(each.word())).toList();
        long options = Stream.of(QUICK, PAGE).filter(asked::contains).count();
        if (named.size() + options != asked.size()) {
            System.err.println("usage: scripts/capacity [--quick] [--page] [provider ...], of "
                    + PROVIDERS.stream().map(Provider::word).toList());
            System.exit(NOT_UNDERSTOOD);
        }
        RunSize size = asked.contains(QUICK) ? RunSize.QUICK : RunSize.FULL;
        List<Provider> providers = named.isEmpty() ? PROVIDERS : named;
        Growth growth =
                new Growth(providers.stream().map(each -> measure(each, size)).toList());
        if (asked.contains(PAGE)) {
            new CapacityPage(Path.of("docs")).write(growth);
        }
        System.exit(growth.stores().stream().anyMatch(Capacity::hasLost) ? 1 : 0);
    }

    private static boolean hasLost(Measured store) {
        return store.points().stream().anyMatch(point -> point.lost() > 0)
                || store.bursts().stream().anyMatch(burst -> burst.lost() > 0);
    }

    /** All curves of one provider, on servers of their own. */
    private static Measured measure(Provider provider, RunSize size) {
        try (Store store = provider.store.get()) {
            String origin = "%s, %d processors, load %.0f"
                    .formatted(
                            System.getProperty("capacity.origin", "unknown"),
                            Runtime.getRuntime().availableProcessors(),
                            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
            System.out.printf("%n%s, %s%n", store.server(), origin);
            // Loads classes and fills caches, which would count as the first client's.
            Curve.CLIENTS.measure(store, 2, RunSize.TINY);
            List<Point> points = Arrays.stream(Curve.values())
                    .flatMap(curve -> curve.sizes(size).stream().map(each -> shown(curve.measure(store, each, size))))
                    .toList();
            return new Measured(store.name(), store.server(), origin, points, bursts(provider, store));
        }
    }

    private static List<Burst> bursts(Provider provider, Store store) {
        HeldThrough held = new HeldThrough(MANY, Curve.LEASE, STALL);
        List<Burst> bursts = new ArrayList<>(held.on(store));
        provider.ensemble.ifPresent(start -> {
            try (Ensemble servers = start.get()) {
                bursts.add(held.on(servers));
            }
        });
        bursts.forEach(System.out::println);
        return bursts;
    }

    private static Point shown(Point point) {
        System.out.printf(
                Locale.ROOT,
                "  %-8s %,9d %,9.0f/s  p50 %8.3f ms  p99 %9.3f ms  heap %,12d  commands %8.1f  connections %4d  lost %d%n",
                point.curve(),
                point.size(),
                point.perSecond(),
                point.p50Millis(),
                point.p99Millis(),
                point.heapBytes(),
                point.commands(),
                point.connections(),
                point.lost());
        return point;
    }
}
