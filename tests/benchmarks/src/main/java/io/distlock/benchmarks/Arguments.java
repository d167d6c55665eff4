package io.distlock.benchmarks;

import io.distlock.benchmarks.etcd.EtcdStore;
import io.distlock.benchmarks.jdbc.JdbcStore;
import io.distlock.benchmarks.measure.Measurement;
import io.distlock.benchmarks.measure.RunSize;
import io.distlock.benchmarks.redis.RedisStore;
import io.distlock.benchmarks.redis.RedlockStore;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.zookeeper.ZooKeeperStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What was asked for on the command line.
 *
 * @param size how much to measure
 * @param strict whether missed timings are a failure, too
 * @param runs how often everything is measured
 * @param compare whether the figures go on the page that compares
 * @param suites what to measure, on which stores
 */
record Arguments(RunSize size, boolean strict, int runs, boolean compare, List<Suite> suites) {

    /** The figures that are published with their spread. */
    private static final List<String> IN_FIVE_RUNS = List.of(
            "uncontended",
            "parallel",
            "held",
            "turns",
            "annotated",
            "start-up",
            "redlock-parallel",
            "redlock-turns",
            "redlock-contention",
            "redlock3-parallel",
            "redlock3-turns",
            "etcd-uncontended",
            "etcd-held",
            "etcd-turns");

    /** The figures beside other libraries. */
    private static final List<String> COMPARED = Stream.of("", "redlock-", "etcd-", "zookeeper-", "jdbc-")
            .flatMap(store -> Stream.of("uncontended", "parallel", "turns").map(store::concat))
            .toList();

    /**
     * Understands a command line.
     *
     * @param known all measurements there are; if none is named, all are asked for
     * @throws IllegalArgumentException if something on it is not understood, with what would be
     */
    static Arguments parse(List<Suite> known, String... words) {
        RunSize size = RunSize.FULL;
        boolean strict = false;
        int runs = 1;
        boolean compare = false;
        List<String> names = new ArrayList<>();
        for (String word : words) {
            switch (word) {
                case "--quick" -> size = RunSize.QUICK;
                case "--strict" -> strict = true;
                case "--five" -> {
                    size = RunSize.SHORT;
                    runs = 5;
                }
                case "--compare" -> {
                    size = RunSize.SHORT;
                    compare = true;
                }
                default -> names.add(requireKnown(word, known));
            }
        }
        if (runs > 1 && names.isEmpty()) {
            names.addAll(IN_FIVE_RUNS);
        }
        if (compare && names.isEmpty()) {
            names.addAll(COMPARED);
        }
        return new Arguments(size, strict, runs, compare, names.isEmpty() ? known : only(names, known));
    }

    private static String requireKnown(String name, List<Suite> known) {
        if (known.stream().noneMatch(suite -> suite.has(name))) {
            throw new IllegalArgumentException("not understood: " + name + "\n" + usage(known));
        }
        return name;
    }

    private static List<Suite> only(List<String> names, List<Suite> known) {
        return known.stream()
                .map(suite -> suite.only(names))
                .filter(suite -> !suite.measurements().isEmpty())
                .toList();
    }

    private static String usage(List<Suite> known) {
        StringBuilder usage =
                new StringBuilder("usage: scripts/benchmarks [--quick | --five | --compare] [--strict] [name ...]\n");
        known.forEach(suite -> suite.measurements()
                .forEach(each -> usage.append(String.format("  %-22s %s%n", suite.nameOf(each), each.title()))));
        return usage.toString().stripTrailing();
    }

    /**
     * A store and what is measured on it.
     *
     * @param prefix of the measurements' names on the command line
     * @param store starts the store
     */
    record Suite(String prefix, Supplier<? extends Store> store, List<Measurement> measurements) {

        /** All of them, in the order in which they run. */
        static List<Suite> all() {
            return List.of(
                    new Suite("", RedisStore::start, Measurement.all()),
                    new Suite("redlock-", RedlockStore::start, Measurement.ofQuorum(RedlockStore::start)),
                    new Suite("redlock3-", () -> RedlockStore.start(3), Measurement.ofSmallQuorum()),
                    new Suite("etcd-", EtcdStore::start, Measurement.ofQueue()),
                    new Suite("zookeeper-", ZooKeeperStore::start, Measurement.ofSessions()),
                    new Suite("jdbc-", JdbcStore::start, Measurement.ofDatabase()));
        }

        String nameOf(Measurement measurement) {
            return prefix + measurement.name();
        }

        boolean has(String name) {
            return measurements.stream().anyMatch(each -> nameOf(each).equals(name));
        }

        /** With those of its measurements that are named, in their order here. */
        Suite only(List<String> names) {
            return new Suite(
                    prefix,
                    store,
                    measurements.stream()
                            .filter(each -> names.contains(nameOf(each)))
                            .toList());
        }
    }
}
