package io.distlock.benchmarks.capacity;

import static io.distlock.benchmarks.capacity.Figures.point;
import static io.distlock.benchmarks.capacity.Figures.timed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.distlock.benchmarks.capacity.CostModel.Prediction;
import io.distlock.benchmarks.capacity.Growth.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class CostModelTests {

    private static List<Prediction> predictions(Point... points) {
        return new CostModel(new Growth(List.of(Figures.of("redis", points))), "redis").predictions();
    }

    /** Alone, a cycle takes 0.1 ms; each further thread adds 0.05 ms. */
    private static double millis(int threads) {
        return 0.1 + (threads - 1) * 0.05;
    }

    @Test
    void cyclesOfAllThreadsFollowFromThoseOfOneAndOfSixteen() {
        List<Prediction> predictions = predictions(
                timed(Curve.THREADS, 1, millis(1)),
                timed(Curve.THREADS, 4, millis(4)),
                timed(Curve.THREADS, 16, millis(16)),
                timed(Curve.THREADS, 64, 2 * millis(64)));
        assertThat(predictions)
                .extracting(Prediction::what)
                .containsExactly("4 threads of one client, ms", "64 threads of one client, ms");
        assertThat(predictions.get(0).error()).isCloseTo(0, within(1e-9));
        assertThat(predictions.get(1).error())
                .as("slower by half than predicted")
                .isCloseTo(-0.5, within(1e-9));
    }

    @Test
    void ofClientsItClaimsNothingBeyondThePointsThatItIsMadeOf() {
        assertThat(predictions(
                        timed(Curve.CLIENTS, 1, millis(1)),
                        timed(Curve.CLIENTS, 4, millis(4)),
                        timed(Curve.CLIENTS, 16, millis(16)),
                        timed(Curve.CLIENTS, 64, millis(64))))
                .extracting(Prediction::claimed)
                .containsExactly(true, false);
    }

    @Test
    void threadsAreOfUseUntilTheTimeOfOneIsFull() {
        CostModel model = new CostModel(
                new Growth(List.of(
                        Figures.of("redis", timed(Curve.THREADS, 1, millis(1)), timed(Curve.THREADS, 16, millis(16))))),
                "redis");
        assertThat(model.line(Curve.THREADS))
                .hasValueSatisfying(line -> assertThat(line.knee()).isCloseTo(2, within(1e-9)));
        // Servers need 60 µs, clients 40 µs, and the machine has two processors.
        assertThat(model.processorMillis())
                .hasValueSatisfying(millis -> assertThat(millis).isCloseTo(0.05, within(1e-9)));
    }

    @Test
    void keysAndWaitersMakeNoDifference() {
        assertThat(predictions(
                        timed(Curve.KEYS, 1_000, 0.5),
                        timed(Curve.KEYS, 10_000, 0.4),
                        timed(Curve.WAITERS, 1_000, 0.5),
                        timed(Curve.WAITERS, 10_000, 0.4)))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.error()).isCloseTo(0.25, within(1e-9)));
    }

    /** Idle: 1,000 µs a second. A renewal: 2 µs, and each lock has three of them in a lease. */
    @Test
    void renewalsCostByTheirNumber() {
        assertThat(predictions(
                        point(Curve.HELD, 100, 1, 1_000 + 2 * 20),
                        point(Curve.HELD, 10_000, 1, 1_000 + 2 * 2_000),
                        point(Curve.LEASES, 5, 1, 1_000 + 2 * 6_000),
                        point(Curve.LEASES, 60, 1, 1_000 + 2 * 500)))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.error()).isCloseTo(0, within(1e-9)));
    }

    @Test
    void nothingIsPredictedWithoutThePointsThatItIsMadeOf() {
        assertThat(predictions(point(Curve.THREADS, 4, 1, 1), point(Curve.HELD, 100, 1, 1)))
                .isEmpty();
    }
}
