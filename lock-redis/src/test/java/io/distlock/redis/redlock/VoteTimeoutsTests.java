package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VoteTimeoutsTests {

    private static final VoteTimeouts TIMEOUTS = new VoteTimeouts(millis(100), millis(100), millis(400));

    private final RedlockRecord attempt = new RedlockRecord(3);

    @BeforeEach
    void start() {
        attempt.limit(TIMEOUTS.first(), TIMEOUTS.whenMinorityIsDue(attempt.phases));
    }

    @Test
    void whereAMajorityHasSpokenTheOthersAreNotWaitedFor() {
        attempt.granted(0, 5);
        attempt.refused(1);
        attempt.timeIsUp(millis(101));
        assertThat(attempt.limits).containsExactly(millis(100));
        assertThat(attempt.ends).containsExactly("refused");
    }

    @Test
    void aMajorityIsWaitedForLonger() {
        attempt.granted(0, 5);
        attempt.timeIsUp(millis(101));
        attempt.timeIsUp(millis(201));
        assertThat(attempt.limits).containsExactly(millis(100), millis(100), millis(200));
        attempt.granted(1, 5);
        assertThat(attempt.ends).containsExactly("granted");
    }

    @Test
    void inTheEndWhoeverHasSaidNothingIsSilent() {
        attempt.granted(0, 5);
        attempt.timeIsUp(millis(101));
        attempt.timeIsUp(millis(201));
        attempt.timeIsUp(millis(402));
        assertThat(attempt.ends)
                .containsExactly("a majority of 3 nodes did not vote"
                        + " [granted, no answer for 402 ms, no answer for 402 ms]");
    }

    /** Or a try that took a little longer than the first look would wait for silent nodes for the rest of its time. */
    @Test
    void aMajorityThatSpeaksAfterTheFirstLookIsHeardAtTheNext() {
        attempt.granted(0, 5);
        attempt.timeIsUp(millis(101));
        attempt.refused(1);
        attempt.timeIsUp(millis(201));
        assertThat(attempt.limits).containsExactly(millis(100), millis(100));
        assertThat(attempt.ends).containsExactly("refused");
    }

    @Test
    void amongOthersAMinorityGetsLittleTimeAndTwiceAsMuchAfterEachSplitVote() {
        VoteTimeouts timeouts = VoteTimeouts.ofInspection(millis(1_000));
        assertThat(timeouts).isEqualTo(new VoteTimeouts(millis(250), millis(250), millis(750)));
        assertThat(timeouts.amongOthers(0)).isEqualTo(new VoteTimeouts(millis(10), millis(250), millis(750)));
        assertThat(timeouts.amongOthers(1).first()).isEqualTo(millis(20));
        assertThat(timeouts.amongOthers(4).first()).isEqualTo(millis(160));
        assertThat(timeouts.amongOthers(40).first()).isEqualTo(millis(250));
        assertThat(VoteTimeouts.ofInspection(millis(8)).amongOthers(0).first()).isEqualTo(millis(6));
    }

    @Test
    void aTryEndsBeforeItsCallerGivesUpAndLeavesEnoughOfTheLease() {
        assertThat(of(0, 30_000)).as("a whole call without a wait").isEqualTo(timeouts(250, 750));
        assertThat(of(60_000, 30_000)).as("a call").isEqualTo(timeouts(250, 750));
        assertThat(of(400, 30_000)).as("until shortly after the deadline").isEqualTo(timeouts(250, 450));
        assertThat(of(100, 30_000)).as("the minority no longer").isEqualTo(timeouts(150, 150));
        assertThat(of(60_000, 400)).as("a quarter of the lease").isEqualTo(timeouts(100, 100));
    }

    private static VoteTimeouts of(int waitMillis, int leaseMillis) {
        ManualTicker ticker = new ManualTicker();
        LeaseRequest request = new LeaseRequest(
                LockKey.of("job"),
                LockMode.EXCLUSIVE,
                "owner",
                LockOptions.defaults().withLeaseTime(millis(leaseMillis)),
                Deadline.in(millis(waitMillis), ticker));
        return VoteTimeouts.of(request, millis(1_000));
    }

    private static VoteTimeouts timeouts(int minority, int majority) {
        return new VoteTimeouts(millis(minority), millis(minority), millis(majority));
    }

    @Test
    void theSecondPhaseGetsWhatIsLeftAndNoLessThanAMinority() {
        ManualTicker ticker = new ManualTicker();
        // Not at the origin of the clock.
        ticker.advance(millis(70));
        Moment since = ticker.now();
        ticker.advance(millis(150));
        assertThat(TIMEOUTS.toConfirm(since, ticker.nanos())).isEqualTo(millis(250));
        ticker.advance(millis(200));
        assertThat(TIMEOUTS.toConfirm(since, ticker.nanos())).isEqualTo(millis(100));
    }

    private static Duration millis(int millis) {
        return Duration.ofMillis(millis);
    }
}
