package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockOptions;
import io.distlock.spi.Moment;
import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RenewalScheduleTests {

    private static final Duration LEASE = Duration.ofSeconds(6);

    @Test
    void aRenewalBeginsAfterAThirdOfTheLeaseGiveOrTakeFivePercent() {
        Random random = new Random(1);
        LongSummaryStatistics times = LongStream.range(0, 100_000)
                .map(time -> RenewalSchedule.untilRenewal(LEASE, random))
                .summaryStatistics();
        assertThat(times.getMin()).isBetween(1_900_000_000L, 1_901_000_000L);
        assertThat(times.getMax()).isBetween(2_099_000_000L, 2_100_000_000L);
        assertThat(times.getAverage()).isBetween(1_999_000_000.0, 2_001_000_000.0);
    }

    @Test
    void aTryWaitsForASixthOfTheLeaseAndNoLongerThanTwoSeconds() {
        assertThat(RenewalSchedule.longestTry(LEASE)).isEqualTo(1_000_000_000);
        assertThat(RenewalSchedule.longestTry(Duration.ofSeconds(12))).isEqualTo(2_000_000_000);
        assertThat(RenewalSchedule.longestTry(Duration.ofHours(24))).isEqualTo(2_000_000_000);
    }

    @Test
    void afterATryWithoutAnAnswerThePauseIsATwentieth() {
        assertThat(RenewalSchedule.pauseAfterFailure(LEASE)).isEqualTo(300_000_000);
    }

    @Test
    void itMayBeASixtiethEarlierWithOthers() {
        assertThat(RenewalSchedule.slack(LEASE)).isEqualTo(100_000_000);
    }

    @Test
    void threeTriesFitIntoTheShortestLeaseThatIsRenewed() {
        Duration shortest = LockOptions.MIN_RENEWED_LEASE;
        long third = shortest.toNanos() / 3;
        long tries = 3 * RenewalSchedule.longestTry(shortest) + 2 * RenewalSchedule.pauseAfterFailure(shortest);
        assertThat(third + third / 20 + tries).isLessThan(shortest.toNanos());
    }

    /** A clock counts from where it likes, and may pass zero. */
    @ParameterizedTest
    @ValueSource(longs = {-700_000_000, 0, 5_000_000_000L, Long.MAX_VALUE - 500_000_000})
    void anAnswerIsOverdueOnceTheTryHasHadItsTime(long asked) {
        RenewalSchedule schedule = granted(LockOptions.defaults()).asked(asked);
        assertThat(schedule.isAnswerOverdue(asked)).isFalse();
        assertThat(schedule.isAnswerOverdue(asked + 999_999_999)).isFalse();
        assertThat(schedule.isAnswerOverdue(asked + 1_000_000_000)).isTrue();
        assertThat(schedule.isDue(asked + 1_000_000_000)).isFalse();
        assertThat(schedule.slackNanos()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {-100_000_000, 0, 5_000_000_000L, Long.MAX_VALUE - 250_000_000})
    void afterAFailureARenewalIsDueASixtiethOfTheLeaseBeforeThePauseIsOver(long failed) {
        RenewalSchedule schedule = granted(LockOptions.defaults()).failed(failed);
        assertThat(schedule.step()).isEqualTo(failed + 300_000_000);
        assertThat(schedule.isDue(failed + 199_999_999)).isFalse();
        assertThat(schedule.isDue(failed + 200_000_000)).isTrue();
        assertThat(schedule.isAnswerOverdue(failed + 300_000_000)).isFalse();
    }

    @Test
    void aLeaseThatIsNotRenewedIsNeverDue() {
        RenewalSchedule schedule = granted(LockOptions.defaults().withRenew(false));
        assertThat(schedule.isDue(LEASE.toNanos())).isFalse();
        assertThat(schedule.slackNanos()).isZero();
        assertThat(schedule.next(LEASE.toNanos(), 1)).isEqualTo(LEASE.toNanos());
    }

    private static RenewalSchedule granted(LockOptions options) {
        return RenewalSchedule.of(options.withLeaseTime(LEASE), new Moment(0, 0), new Random(1));
    }
}
