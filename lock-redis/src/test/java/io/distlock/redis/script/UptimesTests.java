package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class UptimesTests {

    private static final String FIRST = "run-1";
    private static final String SECOND = "run-2";

    private final ManualTicker ticker = new ManualTicker();
    private final Uptimes runs = new Uptimes(ticker);

    @Test
    void aServerThatIsNewToThisClientIsBelieved() {
        runs.heardOf(FIRST, Duration.ofHours(1));
        assertThat(runs.upFor(FIRST)).isEqualTo(Duration.ofHours(1));
        ticker.advance(Duration.ofSeconds(5));
        assertThat(runs.upFor(FIRST)).isEqualTo(Duration.ofHours(1).plusSeconds(5));
    }

    @Test
    void aRunIsNotOlderThanTheEndOfTheConnectionToTheOneBefore() {
        runs.heardOf(FIRST, Duration.ofHours(1));
        ticker.advance(Duration.ofSeconds(100));
        runs.disconnected();
        ticker.advance(Duration.ofSeconds(7));
        runs.heardOf(SECOND, Duration.ofDays(20_000));
        assertThat(runs.upFor(SECOND)).isEqualTo(Duration.ofSeconds(7));
        ticker.advance(Duration.ofSeconds(2));
        runs.heardOf(SECOND, Duration.ofDays(20_000));
        assertThat(runs.upFor(SECOND)).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void aRunThatWasConnectedBeforeAnythingWasAskedCounts() {
        runs.disconnected();
        ticker.advance(Duration.ofSeconds(7));
        runs.heardOf(FIRST, Duration.ofHours(1));
        assertThat(runs.upFor(FIRST)).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aConnectionThatIsMadeAnewToTheSameRunChangesNothing() {
        runs.heardOf(FIRST, Duration.ofHours(1));
        runs.disconnected();
        runs.heardOf(FIRST, Duration.ofHours(2));
        assertThat(runs.upFor(FIRST)).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void aClockThatWasSetBackMakesNoRunYoungerThanNothing() {
        runs.heardOf(FIRST, Duration.ofHours(-1));
        assertThat(runs.upFor(FIRST)).isZero();
    }
}
