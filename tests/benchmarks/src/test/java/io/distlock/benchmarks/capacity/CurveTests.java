package io.distlock.benchmarks.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.capacity.Growth.Burst;
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
        int size = switch (curve) {
            case PROCESSES -> 2;
            case SERVERS, LEASES -> 3;
            default -> 10;
        };
        Cost cost = curve.measure(store, size, RunSize.TINY);
        assertThat(cost.perSecond()).isPositive();
        assertThat(cost.p50Millis()).isPositive().isLessThanOrEqualTo(cost.p99Millis());
        assertThat(cost.connections()).isPositive();
        assertThat(cost.lost()).isZero();
        assertThat(cost.processor().servers()).isPositive();
        assertThat(cost.processor().clients()).isNotNegative();
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
