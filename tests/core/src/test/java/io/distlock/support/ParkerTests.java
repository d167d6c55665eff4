package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ParkerTests {

    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final AtomicInteger steps = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();
    private final Parker parker = new Parker(scheduler, steps::incrementAndGet, ends::incrementAndGet);

    @Test
    void whoIsParkedIsWoken() {
        parker.asks();
        parker.park(PAUSE);
        assertThat(steps).hasValue(0);
        parker.wake();
        assertThat(steps).hasValue(1);
        ticker.advance(PAUSE);
        assertThat(steps).hasValue(1);
    }

    @Test
    void whoIsNotWokenLooksWhenItsTimeIsUp() {
        parker.asks();
        parker.park(PAUSE);
        ticker.advance(PAUSE.minusMillis(1));
        assertThat(steps).hasValue(0);
        ticker.advance(Duration.ofMillis(1));
        assertThat(steps).hasValue(1);
    }

    /** The key may have gone after the answer that is about to arrive was made. */
    @Test
    void whoIsWokenWhileItLooksIsNotParked() {
        parker.asks();
        parker.wake();
        assertThat(steps).hasValue(0);
        parker.park(PAUSE);
        assertThat(steps).hasValue(1);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void whoWasWokenBeforeItLookedIsParked() {
        parker.wake();
        parker.asks();
        parker.park(PAUSE);
        assertThat(steps).hasValue(0);
    }

    @Test
    void whoeverIsBusyIsNotOverAndNothingHappensAfterTheEnd() {
        parker.asks();
        parker.stop();
        assertThat(ends).hasValue(0);
        parker.finish();
        assertThat(ends).hasValue(1);
        parker.finish();
        parker.stop();
        parker.wake();
        assertThat(ends).hasValue(1);
        assertThat(steps).hasValue(0);
    }

    /** Otherwise nobody would settle it until its pause is over. */
    @Test
    void whoIsStoppedWhileItLooksIsNotParked() {
        parker.asks();
        parker.stop();
        parker.park(PAUSE);
        assertThat(steps).hasValue(1);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void whoIsStoppedWhileItIsParkedSettlesAtOnceAndItsTimerIsGone() {
        parker.asks();
        parker.park(PAUSE);
        parker.stop();
        assertThat(ends).hasValue(1);
        assertThat(scheduler.pending()).isZero();
        parker.wake();
        assertThat(steps).hasValue(0);
    }
}
