package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * One try to take a lock, in every order in which its nodes and timers can be heard, compared with what the algorithm
 * says: the largest proposal of the first majority is the token, and a majority that stands by it grants the lock.
 */
class RedlockAcquireOrdersTests {

    private static final int OPEN = 0;
    private static final int REFUSED = -1;
    private static final int BROKEN = -2;
    private static final int NOT_REACHED = -3;

    @Test
    void answersOfBothPhasesInEachOrder() {
        assertThat(everyCourse(3, false, false, 5, 6, 7, REFUSED, BROKEN)).isPositive();
    }

    @Test
    void answersAndTimersInEachOrder() {
        assertThat(everyCourse(3, true, false, 5, 6, 7, REFUSED, NOT_REACHED)).isPositive();
    }

    @Test
    void answersOfATryThatIsReleasedOrAbandonedInEachOrder() {
        assertThat(everyCourse(3, false, true, 5, 6, REFUSED, BROKEN)).isPositive();
    }

    @Test
    void answersOfFiveNodesInRandomOrders() {
        int grants = 0;
        for (int seed = 0; seed < 30_000; seed++) {
            Random random = new Random(seed);
            int[] votes = {5, 5, 6, 7, 8, REFUSED, BROKEN, NOT_REACHED};
            grants += new Course(5, votes, seed % 2 == 0, seed % 3 == 0, random::nextInt).run() ? 1 : 0;
        }
        assertThat(grants).isBetween(1_000, 29_000);
    }

    /** How many of all courses grant the lock. */
    private static int everyCourse(int nodes, boolean timers, boolean ends, int... votes) {
        Choices choices = new Choices();
        int grants = 0;
        do {
            grants += new Course(nodes, votes, timers, ends, choices).run() ? 1 : 0;
        } while (choices.next());
        return grants;
    }

    private enum State {
        PROPOSING,
        RAISING,
        GRANTED,
        OVER
    }

    /** One course of events, and what it must lead to. */
    private static final class Course {

        private final int nodes;
        private final int majority;
        private final int[] alphabet;
        private final IntUnaryOperator choices;
        private final RedlockRecord attempt;
        private final List<String> said = new ArrayList<>();
        private final int[] votes;
        private final Map<Integer, Boolean> raised = new HashMap<>();
        private final List<Integer> told = new ArrayList<>();
        private final List<Integer> restored = new ArrayList<>();
        private final List<Integer> withdrawn = new ArrayList<>();
        private final List<Integer> takenBack = new ArrayList<>();
        private final List<Integer> absent = new ArrayList<>();
        private final List<Integer> late = new ArrayList<>();
        private final List<String> ends = new ArrayList<>();
        private boolean mayBeSilenced;
        private boolean mayBeUnconfirmed;
        private boolean mayBeAbandoned;
        private boolean mayBeReleased;
        private boolean silenced;
        private State state = State.PROPOSING;
        private int token;

        Course(int nodes, int[] alphabet, boolean timers, boolean ends, IntUnaryOperator choices) {
            this.nodes = nodes;
            this.majority = nodes / 2 + 1;
            this.alphabet = alphabet;
            this.choices = choices;
            this.attempt = new RedlockRecord(nodes);
            this.votes = new int[nodes];
            this.mayBeSilenced = timers;
            this.mayBeUnconfirmed = timers;
            this.mayBeAbandoned = ends;
            this.mayBeReleased = ends;
        }

        /** Whether it grants the lock. */
        boolean run() {
            while (goOn()) {
                check();
            }
            assertThat(attempt.ends).as("%s", said).isNotEmpty();
            return !attempt.lease.isEmpty();
        }

        private boolean goOn() {
            List<Runnable> possible = new ArrayList<>();
            nodes(node -> votes[node] == OPEN).forEach(node -> possible.add(() -> vote(node)));
            nodes(node -> told.contains(node) && !raised.containsKey(node))
                    .forEach(node -> possible.add(() -> raise(node)));
            if (mayBeSilenced && state != State.OVER) {
                possible.add(this::silence);
            }
            if (mayBeUnconfirmed && attempt.confirmingIsLimited) {
                possible.add(this::unconfirm);
            }
            if (mayBeAbandoned) {
                possible.add(this::abandon);
            }
            if (mayBeReleased && state == State.GRANTED) {
                possible.add(this::release);
            }
            if (possible.isEmpty()) {
                return false;
            }
            possible.get(choices.applyAsInt(possible.size())).run();
            return true;
        }

        private void vote(int node) {
            int vote = alphabet[choices.applyAsInt(alphabet.length)];
            votes[node] = vote;
            said.add("node " + node + " says " + vote);
            switch (vote) {
                case REFUSED -> attempt.refused(node);
                case BROKEN -> attempt.broken(node);
                case NOT_REACHED -> attempt.notReached(node);
                default -> attempt.granted(node, vote);
            }
            if (state == State.PROPOSING) {
                decide();
            } else if (state != State.OVER) {
                note(node);
                confirm();
            }
        }

        private void decide() {
            int granted = (int) nodes(node -> votes[node] > 0).count();
            int refused = (int) nodes(node -> votes[node] == REFUSED).count();
            int silent = (int) nodes(this::isSilent).count();
            if (granted >= majority) {
                state = State.RAISING;
                token = Arrays.stream(votes).max().orElseThrow();
                nodes(node -> votes[node] != OPEN || silenced).forEach(this::note);
                confirm();
            } else if (silent >= majority) {
                fail("did not vote");
            } else if (refused + silent >= majority && granted + refused >= majority) {
                end("refused");
            }
        }

        private boolean isSilent(int node) {
            return votes[node] == BROKEN || votes[node] == NOT_REACHED || (silenced && votes[node] == OPEN);
        }

        private void note(int node) {
            boolean released =
                    !attempt.chosen.isEmpty() && attempt.chosen.get(0).isReleased();
            if (votes[node] == REFUSED || votes[node] == NOT_REACHED) {
                absent.add(node);
            }
            if (votes[node] == BROKEN || votes[node] == OPEN) {
                late.add(node);
            }
            if (votes[node] == OPEN) {
                return;
            }
            if (votes[node] < 0) {
                restore(node);
            } else if (released) {
                withdrawn.add(node);
            } else if (votes[node] != token) {
                told.add(node);
            }
        }

        private void restore(int node) {
            if (state == State.GRANTED && !attempt.chosen.get(0).isReleased()) {
                restored.add(node);
            }
        }

        private void raise(int node) {
            boolean done = choices.applyAsInt(2) == 1;
            raised.put(node, done);
            said.add("node " + node + " raises its counter: " + done);
            attempt.raised(node, done);
            if (!done) {
                restore(node);
            }
            confirm();
        }

        private void confirm() {
            if (state != State.RAISING) {
                return;
            }
            long stand = nodes(node -> votes[node] == token || (isAsked(node) && raised.getOrDefault(node, false)))
                    .count();
            long mayStand = nodes(
                            node -> (votes[node] == OPEN && !silenced) || (isAsked(node) && !raised.containsKey(node)))
                    .count();
            if (stand >= majority) {
                state = State.GRANTED;
                ends.add("granted");
                nodes(this::hasItNot).forEach(this::restore);
            } else if (stand + mayStand < majority) {
                fail("did not confirm");
            }
        }

        /** One that proposed more may have given the token to another before: its answer does not count. */
        private boolean isAsked(int node) {
            return 0 < votes[node] && votes[node] < token;
        }

        private boolean hasItNot(int node) {
            return votes[node] < 0 || !raised.getOrDefault(node, true);
        }

        private void silence() {
            mayBeSilenced = false;
            silenced = true;
            said.add("the minority's time is up");
            attempt.carryOut(attempt.phases.silenced(Duration.ofMillis(250)));
            if (state == State.PROPOSING) {
                decide();
            } else {
                confirm();
            }
        }

        private void unconfirm() {
            mayBeUnconfirmed = false;
            said.add("the time to confirm is up");
            attempt.carryOut(attempt.phases.unconfirmed());
            if (state == State.RAISING) {
                fail("did not confirm");
            }
        }

        private void abandon() {
            mayBeAbandoned = false;
            said.add("abandoned");
            attempt.carryOut(attempt.phases.abandoned());
            if (state == State.GRANTED) {
                nodes(this::hasItNot).forEach(takenBack::add);
            }
            if (state != State.OVER) {
                fail("was abandoned");
            }
        }

        private void release() {
            mayBeReleased = false;
            said.add("released");
            attempt.chosen.get(0).beginRelease();
        }

        /** Silently only if no majority can have granted it: otherwise somebody may wait for its release. */
        private void fail(String why) {
            end(why);
        }

        private void end(String how) {
            long withoutEffect = nodes(node -> votes[node] == REFUSED || votes[node] == NOT_REACHED)
                    .count();
            ends.add(how + (nodes - withoutEffect < majority ? ", quietly" : ""));
            state = State.OVER;
        }

        private void check() {
            assertThat(attempt.ends).as("%s", said).hasSameSizeAs(ends);
            for (int at = 0; at < ends.size(); at++) {
                String[] parts = ends.get(at).split(", ", -1);
                assertThat(attempt.ends.get(at)).as("%s", said).contains(parts[0]);
                assertThat(attempt.ends.get(at).endsWith(", quietly"))
                        .as("%s", said)
                        .isEqualTo(parts.length > 1);
            }
            assertThat(attempt.toldTheToken).as("told %s", said).containsExactlyInAnyOrderElementsOf(told);
            assertThat(attempt.restored).as("restored %s", said).containsExactlyInAnyOrderElementsOf(restored);
            assertThat(attempt.withdrawn).as("withdrawn %s", said).containsExactlyInAnyOrderElementsOf(withdrawn);
            assertThat(attempt.takenBack).as("taken back %s", said).containsExactlyInAnyOrderElementsOf(takenBack);
            assertThat(attempt.chosen.size()).as("%s", said).isEqualTo(token == 0 ? 0 : 1);
            for (RedlockLease lease : attempt.chosen) {
                assertThat(lease.token().value()).as("%s", said).isEqualTo(token);
                nodes(node -> true).forEach(node -> {
                    assertThat(lease.isAbsentFrom(node))
                            .as("absent from %s %s", node, said)
                            .isEqualTo(absent.contains(node));
                    assertThat(lease.isLateOn(node))
                            .as("late on %s %s", node, said)
                            .isEqualTo(late.contains(node));
                });
            }
        }

        private IntStream nodes(IntPredicate which) {
            return IntStream.range(0, nodes).filter(which);
        }
    }

    /** Takes another course each time, until there is none that has not been taken. */
    private static final class Choices implements IntUnaryOperator {

        private final List<int[]> taken = new ArrayList<>();
        private int at;

        @Override
        public int applyAsInt(int alternatives) {
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
