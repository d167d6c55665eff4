package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leaps of the wall clock. */
class ClockWatchTests {

    private final ManualTicker ticker = new ManualTicker();
    private final ClockWatch watch = new ClockWatch(ticker, new ManualScheduler(ticker));

    @BeforeEach
    void start() {
        watch.start();
    }

    @Test
    void clocksThatGoTogetherAreNoAnomaly() {
        ticker.advance(Duration.ofHours(1));
        assertAnomalies(0, 0);
    }

    @Test
    void aLeapForwardIsCountedOnce() {
        ticker.stepWallClock(Duration.ofSeconds(30));
        ticker.advance(Duration.ofMinutes(1));
        assertAnomalies(1, 0);
    }

    @Test
    void aStepBackIsCountedOnce() {
        ticker.stepWallClock(Duration.ofSeconds(-30));
        ticker.advance(Duration.ofMinutes(1));
        assertAnomalies(0, 1);
    }

    @Test
    void eachLeapIsCounted() {
        for (int leap = 0; leap < 3; leap++) {
            ticker.stepWallClock(Duration.ofSeconds(30));
            ticker.advance(Duration.ofSeconds(5));
        }
        assertAnomalies(3, 0);
    }

    @Test
    void smallCorrectionsAreNoAnomaly() {
        ticker.stepWallClock(Duration.ofMillis(500));
        ticker.advance(Duration.ofSeconds(5));
        ticker.stepWallClock(Duration.ofMillis(-500));
        ticker.advance(Duration.ofSeconds(5));
        assertAnomalies(0, 0);
    }

    private void assertAnomalies(long forward, long backward) {
        assertThat(watch.forward()).isEqualTo(forward);
        assertThat(watch.backward()).isEqualTo(backward);
    }
}
