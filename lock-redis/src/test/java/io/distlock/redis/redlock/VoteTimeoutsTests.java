package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VoteTimeoutsTests {

    private static final VoteTimeouts TIMEOUTS = new VoteTimeouts(millis(100), millis(400));

    private final RedlockRecord attempt = new RedlockRecord(3);

    @BeforeEach
    void start() {
        attempt.limit(TIMEOUTS.minority(), TIMEOUTS.whenMinorityIsDue(attempt.phases));
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
    void inTheEndWhoeverHasSaidNothingIsSilent() {
        attempt.granted(0, 5);
        attempt.timeIsUp(millis(101));
        attempt.timeIsUp(millis(402));
        assertThat(attempt.ends)
                .containsExactly("a majority of 3 nodes did not vote"
                        + " [granted, no answer for 402 ms, no answer for 402 ms]");
    }

    private static Duration millis(int millis) {
        return Duration.ofMillis(millis);
    }
}
