package io.distlock.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.redis.RedlockStore;
import org.assertj.core.api.MapAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is measured on Redlock only, or counted differently there. */
class RedlockMeasurementsTests {

    static RedlockStore store;

    @BeforeAll
    static void start() {
        store = RedlockStore.start();
    }

    @AfterAll
    static void stop() {
        store.close();
    }

    @Test
    void anUncontendedCycleIsTwoParallelRoundsToFiveServers() {
        assertFigures(new UncontendedCycle())
                .containsEntry("round trips on the caller's path", 2.0)
                // Two for each server; in so few rounds, counters that have never been used have to be evened yet.
                .hasEntrySatisfying(
                        "client commands per cycle",
                        commands -> assertThat(commands).isBetween(10.0, 20.0));
    }

    @Test
    void locksThatAreHeldAreRenewedInBatchesOnEachServerAndNotLost() {
        assertFigures(new ManyHeld())
                .hasEntrySatisfying(
                        "client commands per second and server",
                        rate -> assertThat(rate).isBetween(0.5, 60.0))
                .containsEntry("locks lost", 0.0)
                .containsEntry("locks lost after 400 short cycles", 0.0);
    }

    @Test
    void turnsOfTwoClientsAreComparedWithAnotherLibrary() {
        assertFigures(new QueueHandOver())
                .hasEntrySatisfying(
                        "hand-over relative to Redisson RedLock, distlock",
                        ratio -> assertThat(ratio).isPositive())
                .hasEntrySatisfying(
                        "client commands per hand-over, distlock",
                        commands -> assertThat(commands).isBetween(10.0, 100.0));
    }

    @Test
    void aMinorityInTroubleIsComparedWithServersThatAreWell() {
        assertComparesTrouble(MinorityInTrouble.slowNode(RedlockStore::start));
        assertComparesTrouble(MinorityInTrouble.frozenNodes(RedlockStore::start));
    }

    private static void assertComparesTrouble(Measurement measurement) {
        assertFigures(measurement)
                .hasEntrySatisfying(
                        "p50 in trouble relative to all being well",
                        ratio -> assertThat(ratio).isPositive());
    }

    private static MapAssert<String, Double> assertFigures(Measurement measurement) {
        return TinyRun.assertFigures(measurement, store);
    }
}
