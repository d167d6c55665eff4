package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedlockAcquirePhasesTests {

    private final RedlockRecord attempt = new RedlockRecord(3);

    @Test
    void aMajorityThatProposedTheSameTokenIsEnough() {
        attempt.granted(0, 5);
        assertThat(attempt.ends).isEmpty();
        attempt.granted(1, 5);
        assertThat(attempt.ends).containsExactly("granted");
        assertThat(attempt.lease.orElseThrow().token().value()).isEqualTo(5);
        assertThat(attempt.toldTheToken).isEmpty();
        assertThat(attempt.confirmingIsLimited).isFalse();
    }

    @Test
    void aNodeThatProposedLessHasToRaiseItsCounterFirst() {
        attempt.refused(2);
        attempt.granted(0, 5);
        attempt.granted(1, 6);
        assertThat(attempt.toldTheToken).containsExactly(0);
        assertThat(attempt.confirmingIsLimited).isTrue();
        assertThat(attempt.ends).isEmpty();
        attempt.raised(0, true);
        assertThat(attempt.ends).containsExactly("granted");
        assertThat(attempt.lease.orElseThrow().token().value()).isEqualTo(6);
    }

    @Test
    void aTokenThatIsNotConfirmedInTimeGrantsNothing() {
        attempt.granted(0, 5);
        attempt.granted(1, 6);
        attempt.carryOut(attempt.phases.unconfirmed());
        attempt.raised(0, true);
        assertThat(attempt.ends)
                .containsExactly("a majority of 3 nodes did not confirm the fencing token in time"
                        + " [granted, granted, open]");
    }

    @Test
    void aVoteAfterTheGrantIsToldTheTokenAndOneAfterTheReleaseIsWithdrawn() {
        attempt.granted(0, 5);
        attempt.granted(1, 5);
        attempt.granted(2, 4);
        assertThat(attempt.toldTheToken).containsExactly(2);

        RedlockRecord other = new RedlockRecord(3);
        other.granted(0, 5);
        other.granted(1, 5);
        other.lease.orElseThrow().beginRelease();
        other.granted(2, 4);
        assertThat(other.toldTheToken).isEmpty();
        assertThat(other.withdrawn).containsExactly(2);
    }

    @Test
    void whoeverHasRefusedOrCouldNotBeReachedIsRestoredOnceItIsGranted() {
        attempt.refused(0);
        attempt.granted(1, 5);
        assertThat(attempt.restored).isEmpty();
        attempt.granted(2, 5);
        assertThat(attempt.restored).containsExactly(0);

        RedlockRecord other = new RedlockRecord(3);
        other.granted(1, 5);
        other.granted(2, 5);
        assertThat(other.restored).as("it may still grant").isEmpty();
        other.notReached(0);
        assertThat(other.restored).containsExactly(0);
    }

    @Test
    void aNodeThatHasLostItsVoteBeforeTheSecondPhaseIsRestored() {
        attempt.granted(0, 5);
        attempt.granted(1, 6);
        attempt.granted(2, 6);
        assertThat(attempt.ends).containsExactly("granted");
        assertThat(attempt.restored).isEmpty();
        attempt.raised(0, false);
        assertThat(attempt.restored).containsExactly(0);
    }

    @Test
    void nothingIsRestoredAfterTheReleaseNorWhatIsGivenUp() {
        attempt.granted(0, 5);
        attempt.granted(1, 5);
        attempt.lease.orElseThrow().beginRelease();
        attempt.refused(2);
        assertThat(attempt.restored).isEmpty();

        RedlockRecord other = new RedlockRecord(3);
        other.granted(0, 5);
        other.granted(1, 5);
        other.carryOut(other.phases.abandoned());
        assertThat(other.lease.orElseThrow().isReleased()).isTrue();
        other.refused(2);
        assertThat(other.restored).isEmpty();
    }

    @Test
    void aGrantThatIsGivenUpIsTakenBackWhereItMayHaveBeenRestored() {
        attempt.refused(0);
        attempt.granted(1, 5);
        attempt.granted(2, 5);
        attempt.carryOut(attempt.phases.abandoned());
        assertThat(attempt.takenBack).containsExactly(0);
    }

    @Test
    void nodesThatHaveGivenNothingAreRememberedHoweverLateTheySaySo() {
        attempt.refused(0);
        attempt.granted(1, 5);
        attempt.granted(2, 5);
        assertThat(attempt.lease.orElseThrow().isAbsentFrom(0)).isTrue();
        assertThat(attempt.lease.orElseThrow().isAbsentFrom(1)).isFalse();

        RedlockRecord other = new RedlockRecord(3);
        other.granted(1, 5);
        other.granted(2, 5);
        assertThat(other.lease.orElseThrow().isAbsentFrom(0)).isFalse();
        other.refused(0);
        assertThat(other.lease.orElseThrow().isAbsentFrom(0)).isTrue();
    }

    @Test
    void oneServerThatStandsForTwoNodesGrantsNothing() {
        attempt.runIds.seen("a:1", "run-1");
        attempt.runIds.seen("b:1", "run-1");
        attempt.granted(0, 5);
        attempt.granted(1, 6);
        assertThat(attempt.ends).singleElement().asString().contains("are the same server");
    }

    @Test
    void whatWasGivenUpGrantsNothing() {
        attempt.granted(0, 5);
        attempt.carryOut(attempt.phases.abandoned());
        attempt.granted(1, 5);
        attempt.carryOut(attempt.phases.abandoned());
        assertThat(attempt.ends).containsExactly("the attempt was abandoned [granted, open, open]");
    }

    @Test
    void whatNobodyCanHaveTakenForTheHolderIsTakenBackQuietly() {
        attempt.granted(0, 5);
        attempt.notReached(1);
        attempt.notReached(2);
        assertThat(attempt.ends)
                .containsExactly("a majority of 3 nodes did not vote [granted, not connected, not connected], quietly");
    }

    /** Nodes that grant without being heard may make it look like the holder to others, who wait for its release. */
    @Test
    void whatMayHaveStoodOnAMajorityIsTakenBackAloud() {
        attempt.granted(0, 5);
        attempt.notReached(1);
        attempt.broken(2);
        assertThat(attempt.ends).containsExactly("a majority of 3 nodes did not vote [granted, not connected, broken]");
    }

    /** As those who are slow may have granted it also, and somebody may wait for its release. */
    @Test
    void aSplitVoteIsTakenBackAloudFromThoseWhoHaveNotAnsweredIfTheyCouldHaveMadeAMajority() {
        attempt.granted(0, 5);
        attempt.refused(1);
        attempt.carryOut(attempt.phases.silenced(Duration.ofMillis(10)));
        assertThat(attempt.ends).containsExactly("refused");

        RedlockRecord other = new RedlockRecord(3);
        other.granted(0, 5);
        other.refused(1);
        other.refused(2);
        assertThat(other.ends).containsExactly("refused, quietly");
    }
}
