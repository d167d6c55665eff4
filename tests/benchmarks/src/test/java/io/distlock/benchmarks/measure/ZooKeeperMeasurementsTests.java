package io.distlock.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.zookeeper.ZooKeeperStore;
import org.assertj.core.api.MapAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What differs on ZooKeeper, in its smallest form. */
class ZooKeeperMeasurementsTests {

    static Store store;

    @BeforeAll
    static void start() {
        store = ZooKeeperStore.start();
    }

    @AfterAll
    static void stop() {
        store.close();
    }

    @Test
    void anUncontendedCycleIsThreeRequests() {
        assertFigures(new UncontendedCycle())
                // And now and then what confirms the session.
                .hasEntrySatisfying(
                        "client commands per cycle", count -> assertThat(count).isBetween(3.0, 3.2))
                .hasEntrySatisfying(
                        "p50 relative to Curator, distlock",
                        ratio -> assertThat(ratio).isPositive());
    }

    @Test
    void aLockIsHandedOverByBothInTheirWay() {
        assertFigures(new QueueHandOver())
                .hasEntrySatisfying(
                        "hand-over relative to Curator, distlock",
                        ratio -> assertThat(ratio).isPositive());
    }

    private static MapAssert<String, Double> assertFigures(Measurement measurement) {
        return TinyRun.assertFigures(measurement, store);
    }
}
