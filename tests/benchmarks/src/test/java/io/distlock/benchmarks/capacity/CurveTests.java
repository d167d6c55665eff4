package io.distlock.benchmarks.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.capacity.Growth.Burst;
import io.distlock.benchmarks.capacity.Growth.Point;
import io.distlock.benchmarks.measure.RunSize;
import io.distlock.benchmarks.redis.RedisStore;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each curve in its smallest form: says nothing about times. */
class CurveTests {

    static Store store;

    @BeforeAll
    static void start() {
        store = RedisStore.start();
    }

    @AfterAll
    static void stop() {
        store.close();
    }

    @ParameterizedTest
    @EnumSource(Curve.class)
    void aPointHasAllItsFigures(Curve curve) {
        Point point = curve.measure(store, 10, RunSize.TINY);
        assertThat(point.size()).isEqualTo(10);
        assertThat(point.perSecond()).isPositive();
        assertThat(point.p50Millis()).isPositive().isLessThanOrEqualTo(point.p99Millis());
        assertThat(point.connections()).isPositive();
        assertThat(point.lost()).isZero();
    }

    @Test
    void aCycleIsTwoCommandsHoweverManyClientsThereAre() {
        assertThat(Curve.CLIENTS.measure(store, 3, RunSize.TINY).commands()).isEqualTo(2);
    }

    @Test
    void whatIsHeldThroughAStallAndACutIsKept() {
        assertThat(new HeldThrough(50, Duration.ofSeconds(5), Duration.ofMillis(500)).on(store))
                .hasSize(2)
                .extracting(Burst::lost)
                .containsOnly(0);
    }
}
