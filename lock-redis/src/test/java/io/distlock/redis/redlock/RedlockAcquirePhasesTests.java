package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RedlockAcquirePhasesTests {

    private static final int NODES = RedlockRecord.QUORUM.nodes();
    private static final int REFUSED = -1;
    private static final int BROKEN = -2;
    private static final int[] VOTES = {5, 6, 7, REFUSED, BROKEN};

    private final RedlockRecord attempt = new RedlockRecord();

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

        RedlockRecord other = new RedlockRecord();
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

        RedlockRecord other = new RedlockRecord();
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

        RedlockRecord other = new RedlockRecord();
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

        RedlockRecord other = new RedlockRecord();
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

    /** All that three nodes can say, in each order. */
    @Test
    void eachTryEndsOnceAndIsGrantedByThoseAloneThatStandByTheToken() {
        Choices choices = new Choices();
        int grants = 0;
        do {
            Course course = new Course(choices);
            course.run();
            grants += course.attempt.lease.isPresent() ? 1 : 0;
        } while (choices.next());
        assertThat(grants).isPositive();
    }

    /** One course of events: what the nodes said, and which of them stand by the token. */
    private static final class Course {

        final RedlockRecord attempt = new RedlockRecord();
        final Choices choices;
        final int[] votes = new int[NODES];
        final boolean[] raised = new boolean[NODES];
        final List<String> said = new ArrayList<>();
        int told;

        Course(Choices choices) {
            this.choices = choices;
        }

        void run() {
            while (true) {
                List<Integer> silent = IntStream.range(0, NODES)
                        .filter(node -> votes[node] == 0)
                        .boxed()
                        .toList();
                boolean asked = attempt.toldTheToken.size() > told;
                if (silent.isEmpty() && !asked) {
                    break;
                }
                int next = choices.of(silent.size() + (asked ? 1 : 0));
                if (next < silent.size()) {
                    vote(silent.get(next));
                } else {
                    raise(attempt.toldTheToken.get(told++));
                }
                if (!attempt.lease.isEmpty()) {
                    assertThat(standing()).as("%s", said).isGreaterThanOrEqualTo(RedlockRecord.QUORUM.majority());
                }
            }
            assertThat(attempt.ends).as("%s", said).hasSize(1);
        }

        private void vote(int node) {
            votes[node] = VOTES[choices.of(VOTES.length)];
            said.add("node " + node + " says " + votes[node]);
            if (votes[node] == REFUSED) {
                attempt.refused(node);
            } else if (votes[node] == BROKEN) {
                attempt.broken(node);
            } else {
                attempt.granted(node, votes[node]);
            }
        }

        private void raise(int node) {
            raised[node] = choices.of(2) == 1;
            said.add("node " + node + " confirms: " + raised[node]);
            attempt.raised(node, raised[node]);
        }

        private long standing() {
            long token = attempt.lease.orElseThrow().token().value();
            return IntStream.range(0, NODES)
                    .filter(node -> votes[node] == token || (0 < votes[node] && votes[node] < token && raised[node]))
                    .count();
        }
    }

    /** Takes another course each time, until there is none that has not been taken. */
    private static final class Choices {

        private final List<int[]> taken = new ArrayList<>();
        private int at;

        int of(int alternatives) {
            if (at == taken.size()) {
                taken.add(new int[] {0, alternatives});
            }
            return taken.get(at++)[0];
        }

        boolean next() {
            at = 0;
            for (int last = taken.size() - 1; last >= 0; last--) {
                if (++taken.get(last)[0] < taken.get(last)[1]) {
                    return true;
                }
                taken.remove(last);
            }
            return false;
        }
    }
}
