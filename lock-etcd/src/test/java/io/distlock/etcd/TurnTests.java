package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnTests {

    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final ManualTicker ticker = new ManualTicker();
    private final AtomicInteger turns = new AtomicInteger();
    private final Turn turn = new Turn(new ManualScheduler(ticker), turns::incrementAndGet);

    @Test
    void whoIsParkedIsWoken() {
        turn.looks();
        assertThat(turn.park(PAUSE)).isTrue();
        turn.wake();
        assertThat(turns).hasValue(1);
        ticker.advance(PAUSE);
        assertThat(turns).hasValue(1);
    }

    @Test
    void whoIsNotWokenLooksWhenItsTimeIsUp() {
        turn.looks();
        assertThat(turn.park(PAUSE)).isTrue();
        ticker.advance(PAUSE.minusMillis(1));
        assertThat(turns).hasValue(0);
        ticker.advance(Duration.ofMillis(1));
        assertThat(turns).hasValue(1);
    }

    /** The key may have gone after the answer that is about to be heard. */
    @Test
    void whoIsWokenWhileItLooksIsNotParked() {
        turn.looks();
        turn.wake();
        assertThat(turn.park(PAUSE)).isFalse();
        assertThat(turns).hasValue(0);
    }

    @Test
    void whoWasWokenBeforeItLookedIsParked() {
        turn.wake();
        turn.looks();
        assertThat(turn.park(PAUSE)).isTrue();
    }

    @Test
    void whoeverIsBusyIsNotOverAndNothingHappensAfterTheEnd() {
        turn.looks();
        assertThat(turn.settles()).isFalse();
        assertThat(turn.park(PAUSE)).isTrue();
        assertThat(turn.settles()).isTrue();
        assertThat(turn.settles()).isFalse();
        turn.wake();
        ticker.advance(PAUSE);
        assertThat(turns).hasValue(0);
    }
}
