package io.distlock.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Deadlines and moments, on clocks that a test sets. */
class TimesTests {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Clocks clocks = new Clocks();

    private static final class Clocks implements Ticker {

        private long nanos = 7 * SECOND;
        private long wallMillis = 1_000_000;

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public long wallMillis() {
            return wallMillis;
        }
    }

    @Test
    void theTimeSinceAMomentIsThatOfTheClockThatAdvancedMore() {
        Moment begun = clocks.now();
        clocks.nanos += 2 * SECOND;
        clocks.wallMillis += 1_000;
        assertThat(begun.elapsedNanos(clocks)).isEqualTo(2 * SECOND);
        // As after a suspension, while which the monotonic clock stood still.
        clocks.wallMillis += 9_000;
        assertThat(begun.elapsedNanos(clocks)).isEqualTo(10 * SECOND);
    }

    @Test
    void aWallClockThatIsSetBackDoesNotShortenTheTime() {
        Moment begun = clocks.now();
        clocks.nanos += 2 * SECOND;
        clocks.wallMillis -= 60_000;
        assertThat(begun.elapsedNanos(clocks)).isEqualTo(2 * SECOND);
    }

    @Test
    void aDeadlineHasPassedAtItsMoment() {
        Deadline end = Deadline.in(Duration.ofSeconds(3), clocks);
        assertThat(end.remaining()).isEqualTo(Duration.ofSeconds(3));
        clocks.nanos += 3 * SECOND - 1;
        assertThat(end.hasPassed()).isFalse();
        assertThat(end.remainingNanos()).isEqualTo(1);
        clocks.nanos++;
        assertThat(end.hasPassed()).isTrue();
        clocks.nanos += SECOND;
        assertThat(end.remaining()).isZero();
        assertThat(end.remainingNanos()).isEqualTo(-SECOND);
    }

    /** The clock's origin is arbitrary: it may be about to overflow. */
    @Test
    void aDeadlineBeyondTheOverflowOfTheClockHasNotPassed() {
        clocks.nanos = Long.MAX_VALUE - SECOND;
        Deadline end = Deadline.in(Duration.ofSeconds(2), clocks);
        assertThat(end.hasPassed()).isFalse();
        assertThat(end.remaining()).isEqualTo(Duration.ofSeconds(2));
        Moment begun = clocks.now();
        clocks.nanos += 2 * SECOND;
        assertThat(end.hasPassed()).isTrue();
        assertThat(begun.elapsedNanos(clocks)).isEqualTo(2 * SECOND);
    }

    @Test
    void theClocksOfTheMachineAdvance() {
        Ticker ticker = Ticker.system();
        assertThat(ticker.wallMillis()).isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis());
        long before = ticker.nanos();
        assertThat(System.nanoTime() - before).isBetween(0L, 60 * SECOND);
    }

    /** Only the first time to live covers a minimum hold time. */
    @Test
    void aRequestSaysHowLongTheStoreKeepsAKeyAtFirstAndAfterARenewal() {
        LockOptions options = LockOptions.defaults()
                .withLeaseTime(Duration.ofSeconds(10))
                .withLockDelay(Duration.ofSeconds(2))
                .withMinHoldTime(Duration.ofSeconds(40));
        LeaseRequest request = new LeaseRequest(
                LockKey.of("job"), LockMode.EXCLUSIVE, "owner", options, Deadline.in(Duration.ZERO, clocks));
        assertThat(request.timeToLive()).isEqualTo(Duration.ofSeconds(40));
        assertThat(request.renewedTimeToLive()).isEqualTo(Duration.ofSeconds(12));
    }
}
