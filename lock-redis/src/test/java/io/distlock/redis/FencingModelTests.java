package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Everything that can happen to the fencing tokens of a few acquisitions, one after the other or at once, on three nodes:
 * each order of requests and decisions, with the lock expiring on any node at any moment. Exclusion is broken all the time;
 * the tokens must grow nevertheless.
 *
 * <p>What is small enough to be looked at completely: two acquisitions by three nodes. Not in it are a counter that is
 * lost, and a lock that a renewal puts back on a node that has lost it.
 */
class FencingModelTests {

    private static final Quorum QUORUM = new Quorum(3);
    private static final int NODES = QUORUM.nodes();
    private static final int NOBODY = -1;
    private static final int OUT = -1;

    private enum Rule {
        COMPLETE,
        WITHOUT_SECOND_PHASE,
        /** A node whose larger proposal came after the token was chosen counts as a confirmation. */
        COUNTING_WHAT_CAME_TOO_LATE
    }

    private enum Phase {
        PROPOSING,
        RAISING,
        GRANTED
    }

    @ParameterizedTest
    @CsvSource({"0,0,0", "0,1,2", "5,0,0"})
    void tokensGrowWhateverTheOrder(int first, int second, int third) {
        assertThat(findRepeat(new State(2, first, second, third), Rule.COMPLETE))
                .isEmpty();
    }

    /** It proves the model. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPLETE")
    void withoutOneOfTheRulesTheyRepeat(Rule rule) {
        assertThat(findRepeat(new State(2, 0, 1, 2), rule)).isPresent();
    }

    private static Optional<State> findRepeat(State start, Rule rule) {
        Set<State> seen = new HashSet<>();
        Deque<State> open = new ArrayDeque<>(List.of(start));
        while (!open.isEmpty()) {
            State state = open.pop();
            if (seen.add(state)) {
                if (state.repeats()) {
                    return Optional.of(state);
                }
                state.successors(rule).forEach(open::push);
            }
        }
        assertThat(seen).as("what was looked at").hasSizeGreaterThan(1_000);
        return Optional.empty();
    }

    /** Of the nodes: who has the lock, under which token, and the counter; of the acquisitions: how far they are. */
    private static final class State {

        final int[] owner = new int[NODES];
        final int[] value = new int[NODES];
        final int[] counter;
        final int[][] vote;
        final boolean[][] confirmed;
        final Phase[] phase;
        final int[] token;
        /** Which acquisitions had been granted before this one began. */
        final int[] earlier;

        State(int acquisitions, int... counter) {
            this.counter = counter;
            this.vote = new int[acquisitions][NODES];
            this.confirmed = new boolean[acquisitions][NODES];
            this.phase = new Phase[acquisitions];
            this.token = new int[acquisitions];
            this.earlier = new int[acquisitions];
            Arrays.fill(owner, NOBODY);
            Arrays.fill(phase, Phase.PROPOSING);
        }

        State copy() {
            State copy = new State(phase.length, counter.clone());
            System.arraycopy(owner, 0, copy.owner, 0, NODES);
            System.arraycopy(value, 0, copy.value, 0, NODES);
            for (int each = 0; each < phase.length; each++) {
                copy.vote[each] = vote[each].clone();
                copy.confirmed[each] = confirmed[each].clone();
            }
            System.arraycopy(phase, 0, copy.phase, 0, phase.length);
            System.arraycopy(token, 0, copy.token, 0, phase.length);
            System.arraycopy(earlier, 0, copy.earlier, 0, phase.length);
            return copy;
        }

        boolean repeats() {
            for (int one = 0; one < phase.length; one++) {
                for (int other = 0; other < phase.length; other++) {
                    boolean both = one != other && phase[one] == Phase.GRANTED && phase[other] == Phase.GRANTED;
                    boolean after = (earlier[one] & 1 << other) != 0;
                    if (both && (token[one] == token[other] || (after && token[one] < token[other]))) {
                        return true;
                    }
                }
            }
            return false;
        }

        List<State> successors(Rule rule) {
            List<State> next = new ArrayList<>();
            for (int node = 0; node < NODES; node++) {
                if (owner[node] != NOBODY) {
                    State expired = copy();
                    expired.owner[node] = NOBODY;
                    next.add(expired);
                }
                for (int each = 0; each < phase.length; each++) {
                    if (vote[each][node] == 0 && phase[each] != Phase.GRANTED) {
                        next.add(copy().propose(each, node));
                    }
                    if (phase[each] == Phase.RAISING && vote[each][node] > 0 && !confirmed[each][node]) {
                        next.add(copy().raise(each, node, rule));
                    }
                }
            }
            for (int each = 0; each < phase.length; each++) {
                if (phase[each] == Phase.PROPOSING && granted(each).size() >= QUORUM.majority()) {
                    next.add(copy().decide(each, rule));
                }
            }
            return next;
        }

        /** The acquire script. */
        private State propose(int each, int node) {
            if (Arrays.stream(vote[each]).allMatch(any -> any == 0)) {
                for (int other = 0; other < phase.length; other++) {
                    earlier[each] |= phase[other] == Phase.GRANTED ? 1 << other : 0;
                }
            }
            if (owner[node] == NOBODY) {
                counter[node]++;
                owner[node] = each;
                value[node] = counter[node];
                vote[each][node] = counter[node];
                if (phase[each] == Phase.RAISING) {
                    confirmed[each][node] = vote[each][node] == token[each];
                    finish(each);
                }
            } else {
                vote[each][node] = OUT;
            }
            return this;
        }

        private List<Long> granted(int each) {
            return Arrays.stream(vote[each])
                    .filter(proposal -> proposal > 0)
                    .mapToObj(Long::valueOf)
                    .toList();
        }

        private State decide(int each, Rule rule) {
            Proposals proposals = new Proposals(QUORUM, granted(each));
            token[each] = (int) proposals.token();
            phase[each] = Phase.RAISING;
            for (int node = 0; node < NODES; node++) {
                confirmed[each][node] = vote[each][node] == token[each];
            }
            finish(each);
            assertThat(phase[each] == Phase.GRANTED).isEqualTo(proposals.settled());
            if (rule == Rule.WITHOUT_SECOND_PHASE) {
                phase[each] = Phase.GRANTED;
            }
            return this;
        }

        /** The script of the second phase. */
        private State raise(int each, int node, Rule rule) {
            if (owner[node] == each && value[node] == vote[each][node]) {
                value[node] = token[each];
                counter[node] = Math.max(counter[node], token[each]);
                // The token was chosen without knowing of a larger proposal.
                confirmed[each][node] = vote[each][node] <= token[each] || rule == Rule.COUNTING_WHAT_CAME_TOO_LATE;
                finish(each);
            } else {
                vote[each][node] = OUT;
            }
            return this;
        }

        private void finish(int each) {
            int sure = 0;
            for (boolean done : confirmed[each]) {
                sure += done ? 1 : 0;
            }
            if (sure >= QUORUM.majority()) {
                phase[each] = Phase.GRANTED;
            }
        }

        @Override
        public String toString() {
            return "owners " + Arrays.toString(owner) + " values " + Arrays.toString(value) + " counters "
                    + Arrays.toString(counter) + " votes " + Arrays.deepToString(vote) + " confirmed "
                    + Arrays.deepToString(confirmed) + " phases " + Arrays.toString(phase) + " tokens "
                    + Arrays.toString(token) + " earlier " + Arrays.toString(earlier);
        }

        @Override
        public boolean equals(Object object) {
            return object instanceof State other
                    && Arrays.equals(owner, other.owner)
                    && Arrays.equals(value, other.value)
                    && Arrays.equals(counter, other.counter)
                    && Arrays.deepEquals(vote, other.vote)
                    && Arrays.deepEquals(confirmed, other.confirmed)
                    && Arrays.equals(phase, other.phase)
                    && Arrays.equals(token, other.token)
                    && Arrays.equals(earlier, other.earlier);
        }

        @Override
        public int hashCode() {
            int hash = Arrays.hashCode(owner);
            hash = 31 * hash + Arrays.hashCode(value);
            hash = 31 * hash + Arrays.hashCode(counter);
            hash = 31 * hash + Arrays.deepHashCode(vote);
            hash = 31 * hash + Arrays.deepHashCode(confirmed);
            // Enums themselves hash by identity.
            for (Phase each : phase) {
                hash = 31 * hash + each.name().hashCode();
            }
            return 31 * hash + Arrays.hashCode(token);
        }
    }
}
