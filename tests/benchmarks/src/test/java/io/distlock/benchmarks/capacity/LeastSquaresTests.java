package io.distlock.benchmarks.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class LeastSquaresTests {

    /** (a / 0.1 − 1)² + (a / 0.2 − 1)² is least at (10 + 5) / (100 + 25). */
    @Test
    void smallFiguresCountAsMuchAsLargeOnes() {
        assertThat(LeastSquares.prices(List.of(0.1, 0.2), index -> new double[] {1})[0])
                .isCloseTo(0.12, within(1e-9));
    }

    @Test
    void aTermThatWouldHelpByBeingNegativeIsLeftOut() {
        assertThat(LeastSquares.prices(List.of(3.0, 2.0, 1.0), index -> new double[] {1, index}))
                .satisfies(prices -> assertThat(prices[0]).isBetween(1.0, 2.0))
                .endsWith(0.0);
    }
}
