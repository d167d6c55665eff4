package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TallyTests {

    @Test
    void aSaleThatGoesRightLosesNothing() {
        Tally tally = new Tally(100, 40, Map.of("a", 25, "b", 35));

        assertThat(tally.sold()).isEqualTo(60);
        assertThat(tally.oversold()).isZero();
        assertThat(tally.lostUpdates()).isZero();
    }

    @Test
    void aSaleThatTheStockDoesNotShowIsALostUpdate() {
        assertThat(new Tally(100, 99, Map.of("a", 1, "b", 1)).lostUpdates()).isEqualTo(1);
    }

    @Test
    void whatIsSoldBeyondTheInitialStockIsOversold() {
        assertThat(new Tally(100, 0, Map.of("a", 103)).oversold()).isEqualTo(3);
    }
}
