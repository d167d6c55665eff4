package io.distlock.benchmarks.capacity;

import static io.distlock.benchmarks.capacity.Figures.point;
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

    /** Alone, a cycle takes 100 µs; each further thread adds 50 µs. */
    private static double cyclesPerSecond(int threads) {
        return threads * 1e6 / (100 + (threads - 1) * 50);
    }

    @Test
    void cyclesOfAllThreadsFollowFromThoseOfOneAndOfSixteen() {
        List<Prediction> predictions = predictions(
                point(Curve.THREADS, 1, cyclesPerSecond(1), 1),
                point(Curve.THREADS, 4, cyclesPerSecond(4), 1),
                point(Curve.THREADS, 16, cyclesPerSecond(16), 1),
                point(Curve.THREADS, 64, 2 * cyclesPerSecond(64), 1));
        assertThat(predictions)
                .extracting(Prediction::what)
                .containsExactly("4 threads of one client, cycles/s", "64 threads of one client, cycles/s");
        assertThat(predictions.get(0).error()).isCloseTo(0, within(1e-9));
        assertThat(predictions.get(1).error()).as("twice as fast as predicted").isCloseTo(-0.5, within(1e-9));
        assertThat(predictions).extracting(Prediction::claimed).containsExactly(true, false);
    }

    @Test
    void threadsAreOfUseUntilTheTimeOfOneIsFull() {
        CostModel model = new CostModel(
                new Growth(List.of(Figures.of(
                        "redis",
                        point(Curve.THREADS, 1, cyclesPerSecond(1), 1),
                        point(Curve.THREADS, 16, cyclesPerSecond(16), 60)))),
                "redis");
        assertThat(model.line(Curve.THREADS))
                .hasValueSatisfying(line -> assertThat(line.knee()).isCloseTo(2, within(1e-9)));
        // The clients need 40 µs, and the machine has two processors.
        assertThat(model.processorSeconds())
                .hasValueSatisfying(seconds -> assertThat(seconds).isCloseTo(50e-6, within(1e-12)));
    }

    @Test
    void keysMakeNoDifference() {
        assertThat(predictions(point(Curve.KEYS, 1_000, 500, 1), point(Curve.KEYS, 10_000, 400, 1)))
                .singleElement()
                .satisfies(keys -> assertThat(keys.error()).isCloseTo(0.25, within(1e-9)));
    }

    /** Idle: 1,000 µs a second. A renewal: 2 µs, and 10,000 locks have three of them in a lease. */
    @Test
    void renewalsCostByTheirNumber() {
        assertThat(predictions(
                        point(Curve.LEASES, 5, 1, 1_000 + 2 * 6_000),
                        point(Curve.LEASES, 60, 1, 1_000 + 2 * 500),
                        point(Curve.HELD, 10_000, 1, 1_000 + 2 * 2_000)))
                .singleElement()
                .satisfies(held -> assertThat(held.error()).isCloseTo(0, within(1e-9)));
    }

    @Test
    void aChainOfWaitersTakesAsLongAsItsHandOvers() {
        assertThat(predictions(point(Curve.WAITERS, 1_000, 500, 1), point(Curve.WAITERS, 10_000, 500, 1)))
                .singleElement()
                .satisfies(chain -> assertThat(chain.predicted()).isCloseTo(20, within(1e-9)));
    }

    @Test
    void nothingIsPredictedWithoutThePointsThatItIsMadeOf() {
        assertThat(predictions(point(Curve.THREADS, 4, 1, 1), point(Curve.HELD, 100, 1, 1)))
                .isEmpty();
    }
}
