package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VoteTimeoutsTests {

    private static final VoteTimeouts TIMEOUTS = new VoteTimeouts(millis(100), millis(400), millis(900));
    private static final int SLOW_TO_CONNECT = 2;

    private final RedlockRecord attempt = new RedlockRecord();

    @BeforeEach
    void start() {
        boolean[] connecting = new boolean[RedlockRecord.QUORUM.nodes()];
        connecting[SLOW_TO_CONNECT] = true;
        attempt.limit(TIMEOUTS.minority(), TIMEOUTS.whenMinorityIsDue(attempt.phases, connecting));
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
        assertThat(attempt.limits).containsExactly(millis(100), millis(300));
        attempt.granted(1, 5);
        assertThat(attempt.ends).containsExactly("granted");
    }

    @Test
    void nodesThatHaveToBeConnectedToAreWaitedForLongest() {
        attempt.granted(0, 5);
        attempt.timeIsUp(millis(101));
        attempt.timeIsUp(millis(402));
        assertThat(attempt.limits).containsExactly(millis(100), millis(300), millis(500));
        assertThat(attempt.ends).isEmpty();
        attempt.granted(SLOW_TO_CONNECT, 5);
        assertThat(attempt.ends).containsExactly("granted");
    }

    @Test
    void inTheEndWhoeverHasSaidNothingIsSilent() {
        attempt.granted(0, 5);
        attempt.timeIsUp(millis(101));
        attempt.timeIsUp(millis(402));
        attempt.timeIsUp(millis(903));
        assertThat(attempt.ends)
                .containsExactly("a majority of 3 nodes did not vote"
                        + " [granted, no answer for 402 ms, no answer for 903 ms]");
    }

    @Test
    void nodesThatHaveToBeConnectedToAreNotWaitedForWhereNothingDependsOnThem() {
        attempt.timeIsUp(millis(101));
        attempt.timeIsUp(millis(402));
        assertThat(attempt.limits).hasSize(2);
        assertThat(attempt.ends).singleElement().asString().startsWith("a majority of 3 nodes did not vote");
    }

    private static Duration millis(int millis) {
        return Duration.ofMillis(millis);
    }
}
