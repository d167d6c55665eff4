package io.distlock.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.etcd.EtcdStore;
import io.distlock.benchmarks.store.Store;
import org.assertj.core.api.MapAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What differs on etcd, in its smallest form. */
class EtcdMeasurementsTests {

    static Store store;

    @BeforeAll
    static void start() {
        store = EtcdStore.start();
    }

    @AfterAll
    static void stop() {
        store.close();
    }

    @Test
    void anUncontendedCycleIsTwoCallsTwoRoundTripsAndNoThread() {
        assertFigures(new UncontendedCycle())
                .containsEntry("client commands per cycle", 2.0)
                .containsEntry("round trips on the caller's path", 2.0)
                .hasEntrySatisfying(
                        "p50 relative to bare jetcd, distlock",
                        ratio -> assertThat(ratio).isPositive());
    }

    @Test
    void locksThatAreHeldAreKeptByOneSession() {
        assertFigures(new ManyHeld())
                // Every third of a lease of 6 s at the latest; three messages each time.
                .hasEntrySatisfying(
                        "client commands per second", rate -> assertThat(rate).isBetween(0.5, 10.0))
                .containsEntry("locks lost", 0.0);
    }

    @Test
    void aLockIsHandedOverByAllInTheSameWay() {
        assertFigures(new QueueHandOver())
                .hasEntrySatisfying(
                        "hand-over relative to bare jetcd, distlock",
                        ratio -> assertThat(ratio).isPositive());
    }

    @Test
    void manyWhoWantTheSameLockNeverHaveItTogether() {
        assertFigures(new QueueContention())
                .containsEntry("two holders at once, distlock", 0.0)
                .hasEntrySatisfying(
                        "grants per second, distlock", rate -> assertThat(rate).isPositive());
    }

    private static MapAssert<String, Double> assertFigures(Measurement measurement) {
        return TinyRun.assertFigures(measurement, store);
    }
}
