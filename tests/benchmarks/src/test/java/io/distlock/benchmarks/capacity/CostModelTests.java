package io.distlock.benchmarks.capacity;

import static io.distlock.benchmarks.capacity.Figures.paced;
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

    private static double millis(int threads) {
        return new Scalability(0.1, 0.05, 0.001).millis(threads);
    }

    @Test
    void cyclesOfSomeThreadsFollowFromThoseOfOthers() {
        assertThat(predictions(
                        paced(Curve.THREADS, 1, millis(1)),
                        paced(Curve.THREADS, 4, millis(4)),
                        paced(Curve.THREADS, 16, millis(16)),
                        paced(Curve.THREADS, 32, millis(32)),
                        paced(Curve.THREADS, 64, millis(64))))
                .allSatisfy(each -> assertThat(each.error()).isCloseTo(0, within(1e-9)))
                .extracting(Prediction::what)
                .containsExactly(
                        "4 threads of one client, ms", "16 threads of one client, ms", "32 threads of one client, ms");
    }

    @Test
    void noPointPredictsItself() {
        assertThat(predictions(
                        paced(Curve.CLIENTS, 1, millis(1)),
                        paced(Curve.CLIENTS, 4, 2 * millis(4)),
                        paced(Curve.CLIENTS, 16, millis(16)),
                        paced(Curve.CLIENTS, 64, millis(64))))
                .element(0)
                .satisfies(slow -> assertThat(slow.error())
                        .as("slower by half than predicted")
                        .isCloseTo(-0.5, within(1e-9)));
    }

    /** Servers need 60 µs, clients 40 µs, and the machine has two processors. */
    @Test
    void processorsSetABoundForWhatThreadsShare() {
        CostModel model = new CostModel(
                new Growth(List.of(
                        Figures.of("redis", timed(Curve.THREADS, 1, millis(1)), timed(Curve.THREADS, 16, millis(16))))),
                "redis");
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
                .satisfiesExactly(
                        known -> assertThat(known.predicted()).isEqualTo(0.4),
                        known -> assertThat(known.predicted()).isEqualTo(0.5),
                        shown -> assertThat(shown.claimed()).isFalse(),
                        shown -> assertThat(shown.claimed()).isFalse());
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
