package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaitingAcquisitionTests {

    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final AtomicInteger steps = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();
    private final WaitingAcquisition acquisition =
            new WaitingAcquisition(
                    new LockRuntime(ticker, scheduler),
                    new LeaseRequest(
                            LockKey.of("a"),
                            LockMode.EXCLUSIVE,
                            "owner",
                            LockOptions.defaults(),
                            Deadline.in(Duration.ofHours(1), ticker))) {

                @Override
                protected void advance() {
                    steps.incrementAndGet();
                }

                @Override
                protected void end() {
                    throw new AssertionError("the deadline has not passed");
                }

                @Override
                protected void settle() {
                    ends.incrementAndGet();
                }
            };

    @Test
    void whoIsParkedIsWoken() {
        acquisition.asks();
        acquisition.park(PAUSE);
        assertThat(steps).hasValue(0);
        acquisition.wake();
        assertThat(steps).hasValue(1);
        ticker.advance(PAUSE);
        assertThat(steps).hasValue(1);
    }

    @Test
    void whoeverCancelsIsToldWhetherItWasInTime() {
        assertThat(acquisition.cancel(true)).isTrue();
        assertThat(acquisition).isCancelled();
        assertThat(ends).hasValue(1);
    }

    @Test
    void aFailureSaysHowLongWasWaitedAndIsNotCancelledAfterwards() {
        ticker.advance(PAUSE);
        acquisition.failClosed();
        assertThat(acquisition.handle((none, failure) -> failure))
                .isCompletedWithValueMatching(failure -> failure instanceof LockUnavailableException unavailable
                        && unavailable.elapsed().equals(PAUSE));
        assertThat(acquisition.cancel(true)).isFalse();
    }

    @Test
    void whoIsNotWokenLooksWhenItsTimeIsUp() {
        acquisition.asks();
        acquisition.park(PAUSE);
        ticker.advance(PAUSE.minusMillis(1));
        assertThat(steps).hasValue(0);
        ticker.advance(Duration.ofMillis(1));
        assertThat(steps).hasValue(1);
    }

    /** The key may have gone after the answer that is about to arrive was made. */
    @Test
    void whoIsWokenWhileItLooksIsNotParked() {
        acquisition.asks();
        acquisition.wake();
        assertThat(steps).hasValue(0);
        acquisition.park(PAUSE);
        assertThat(steps).hasValue(1);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void whoWasWokenBeforeItLookedIsParked() {
        acquisition.wake();
        acquisition.asks();
        acquisition.park(PAUSE);
        assertThat(steps).hasValue(0);
    }

    @Test
    void whoeverIsBusyIsNotOverAndNothingHappensAfterTheEnd() {
        acquisition.asks();
        acquisition.stop();
        assertThat(ends).hasValue(0);
        acquisition.finish();
        assertThat(ends).hasValue(1);
        acquisition.finish();
        acquisition.stop();
        acquisition.wake();
        assertThat(ends).hasValue(1);
        assertThat(steps).hasValue(0);
    }

    /** Otherwise nobody would settle it until its pause is over. */
    @Test
    void whoIsStoppedWhileItLooksIsNotParked() {
        acquisition.asks();
        acquisition.stop();
        acquisition.park(PAUSE);
        assertThat(steps).hasValue(1);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void whoIsStoppedWhileItIsParkedSettlesAtOnceAndItsTimerIsGone() {
        acquisition.asks();
        acquisition.park(PAUSE);
        acquisition.stop();
        assertThat(ends).hasValue(1);
        assertThat(scheduler.pending()).isZero();
        acquisition.wake();
        assertThat(steps).hasValue(0);
    }
}
