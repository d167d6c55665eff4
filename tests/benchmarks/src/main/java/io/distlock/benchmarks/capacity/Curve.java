package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.measure.RunSize;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** What grows. What the figures of each mean is on the page. */
enum Curve {

    /** Each with connections of its own and one thread. */
    CLIENTS("clients", "granted per second") {

        @Override
        List<Integer> sizes(String provider, RunSize run) {
            return powers(1, 4, 64);
        }

        @Override
        Cost measure(Store store, int size, RunSize run) {
            return Cycles.measure(store, size, size, Cycles.SOME_KEYS, run);
        }
    },

    /** Each a JVM. */
    PROCESSES("client processes", "granted per second") {

        @Override
        List<Integer> sizes(String provider, RunSize run) {
            return powers(1, 2, run.of(64, 16, 1));
        }

        @Override
        Cost measure(Store store, int size, RunSize run) {
            return Cycles.ofProcesses(store, size, run);
        }
    },

    /** Of one client. */
    THREADS("threads of one client", "granted per second") {

        @Override
        List<Integer> sizes(String provider, RunSize run) {
            return powers(1, 2, 64);
        }

        @Override
        Cost measure(Store store, int size, RunSize run) {
            return Cycles.measure(store, 1, size, Cycles.SOME_KEYS, run);
        }
    },

    /** One after the other. Each has been taken before. */
    KEYS("keys", "granted per second") {

        /** Where keys leave something behind, or where all of them are taken in good time. */
        @Override
        List<Integer> sizes(String provider, RunSize run) {
            int full = List.of("redis", "jdbc").contains(provider) ? 1_000_000 : 100_000;
            return powers(100, 10, run.of(full, provider.equals("redis") ? 100_000 : 10_000, 100));
        }

        @Override
        Cost measure(Store store, int size, RunSize run) {
            return Cycles.measure(store, 1, Cycles.SOME_THREADS, size, run);
        }
    },

    /** Of one Redis Cluster, or members of one etcd or ZooKeeper. */
    SERVERS("servers of one store", "granted per second") {

        @Override
        List<Integer> sizes(String provider, RunSize run) {
            return Ensemble.sizes(provider);
        }

        @Override
        Cost measure(Store store, int size, RunSize run) {
            if (size == 1) {
                return Cycles.measure(store, 1, Cycles.SOME_THREADS, Cycles.SOME_KEYS, run);
            }
            try (Ensemble servers = Ensemble.start(store.name(), size)) {
                return Cycles.measure(servers, 1, Cycles.SOME_THREADS, Cycles.SOME_KEYS, run);
            }
        }
    },

    HELD("locks held by one client", "taken per second") {

        @Override
        List<Integer> sizes(String provider, RunSize run) {
            return powers(100, 10, run.of(100_000, 10_000, 100));
        }

        @Override
        Cost measure(Store store, int size, RunSize run) {
            return Holding.held(store, size, LEASE, run);
        }
    },

    /** Of many locks that are held. The one of {@link #HELD} is not measured again. */
    LEASES("seconds of lease, 10,000 held", "taken per second") {

        @Override
        List<Integer> sizes(String provider, RunSize run) {
            return List.of(5, run.of(60, 30, 10));
        }

        @Override
        Cost measure(Store store, int size, RunSize run) {
            return Holding.held(store, run.of(MANY, MANY, 100), Duration.ofSeconds(size), run);
        }
    },

    /** For one key. */
    WAITERS("calls that wait for one key", "handed over per second") {

        @Override
        List<Integer> sizes(String provider, RunSize run) {
            return powers(1, 10, run.of(MANY, MANY, 100));
        }

        @Override
        Cost measure(Store store, int size, RunSize run) {
            return Holding.waiters(store, size, run);
        }
    };

    static final int MANY = 10_000;

    /** Renewals are due after a third of it. */
    static final Duration LEASE = Duration.ofSeconds(15);

    private final String title;
    private final String rate;

    Curve(String title, String rate) {
        this.title = title;
        this.rate = rate;
    }

    /** Its name on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What is on the axis of sizes. */
    String title() {
        return title;
    }

    /** What locks are, so many a second. */
    String rate() {
        return rate;
    }

    /** The sizes at which to measure: in a short run without the largest, which take minutes. None if it is not for that store. */
    abstract List<Integer> sizes(String provider, RunSize run);

    abstract Cost measure(Store store, int size, RunSize run);

    private static List<Integer> powers(int least, int factor, int most) {
        return IntStream.iterate(least, size -> size <= most, size -> size * factor)
                .boxed()
                .toList();
    }
}
