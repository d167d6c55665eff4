package io.distlock.benchmarks;

import io.distlock.benchmarks.etcd.EtcdStore;
import io.distlock.benchmarks.measure.Measurement;
import io.distlock.benchmarks.measure.Measurements;
import io.distlock.benchmarks.redis.RedisStore;
import io.distlock.benchmarks.redis.RedlockStore;
import io.distlock.benchmarks.store.Store;
import java.util.List;
import java.util.function.Supplier;

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
                new Suite("", RedisStore::start, Measurements.all()),
                new Suite("redlock-", RedlockStore::start, Measurements.ofQuorum(RedlockStore::start)),
                new Suite("etcd-", EtcdStore::start, Measurements.ofQueue()));
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
