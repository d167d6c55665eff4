package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.engine.KeyQueues.StoreReply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The queue of one key beside a plain list, in every order in which a few calls can arrive, be answered and leave. */
@EndsInTime
class KeyQueuesModelTests {

    private static final LockKey KEY = LockKey.of("a");

    /** What a call is like: each bit is one of its properties. */
    private enum Kind {
        SHARED,
        IMPATIENT,
        /** It leaves in its turn, like one whose provider fails at once. */
        LEAVES_AT_ONCE,
        FAILS
    }

    private enum Step {
        ENTERS,
        IS_ANSWERED,
        LEAVES
    }

    private record Event(int call, Step step) {}

    private static final class History {

        private final KeyQueues queues = new KeyQueues();
        private final List<KeyQueues.Ticket> tickets = new ArrayList<>();
        private final List<Integer> turns = new ArrayList<>();
        private final List<List<Kind>> kinds;
        private final List<Integer> expectedTurns = new ArrayList<>();
        private final List<Integer> waiting = new ArrayList<>();
        private final List<Integer> inside = new ArrayList<>();
        private StoreReply expectedReply = StoreReply.Answer.NONE;

        History(List<List<Kind>> kinds) {
            this.kinds = kinds;
            for (int call = 0; call < kinds.size(); call++) {
                int number = call;
                LockMode mode = is(call, Kind.SHARED) ? LockMode.SHARED : LockMode.EXCLUSIVE;
                tickets.add(new KeyQueues.Ticket(KEY, mode, () -> takeTurn(number)));
            }
        }

        private boolean is(int call, Kind kind) {
            return kinds.get(call).contains(kind);
        }

        private void takeTurn(int call) {
            turns.add(call);
            if (is(call, Kind.LEAVES_AT_ONCE)) {
                queues.leave(tickets.get(call));
            }
        }

        void check(List<Event> events) {
            for (Event event : events) {
                switch (event.step) {
                    case ENTERS -> enter(event.call);
                    case IS_ANSWERED -> answer(event.call);
                    case LEAVES -> leave(event.call);
                }
                boolean empty = inside.isEmpty() && waiting.isEmpty();
                expectedReply = empty ? StoreReply.Answer.NONE : expectedReply;
                if (!turns.equals(expectedTurns)
                        || queues.size() != (empty ? 0 : 1)
                        || !queues.reply(KEY).equals(expectedReply)) {
                    // The description costs more than the check.
                    assertThat(List.of(turns, queues.size(), queues.reply(KEY)))
                            .as("turns, queues and the last reply after %s of %s, %s", event, events, kinds)
                            .isEqualTo(List.of(expectedTurns, empty ? 0 : 1, expectedReply));
                }
            }
        }

        private void enter(int call) {
            boolean atOnce = waiting.isEmpty() && fits(call);
            if (atOnce) {
                inside.add(call);
            } else if (!is(call, Kind.IMPATIENT)) {
                waiting.add(call);
            }
            assertThat(queues.enter(tickets.get(call), !is(call, Kind.IMPATIENT)))
                    .isEqualTo(atOnce);
        }

        private void answer(int call) {
            if (inside.contains(call)) {
                if (is(call, Kind.FAILS)) {
                    IllegalStateException cause = new IllegalStateException("fails on purpose");
                    tickets.get(call).failed(cause);
                    expectedReply = new StoreReply.Failed(cause);
                } else {
                    tickets.get(call).refused();
                    expectedReply = StoreReply.Answer.TAKEN;
                }
            }
        }

        private void leave(int call) {
            boolean left = inside.remove((Object) call) || waiting.remove((Object) call);
            while (left && !waiting.isEmpty() && fits(waiting.get(0))) {
                int next = waiting.remove(0);
                expectedTurns.add(next);
                if (!is(next, Kind.LEAVES_AT_ONCE)) {
                    inside.add(next);
                }
            }
            queues.leave(tickets.get(call));
        }

        private boolean fits(int call) {
            return inside.isEmpty()
                    || (is(call, Kind.SHARED) && inside.stream().allMatch(each -> is(each, Kind.SHARED)));
        }
    }

    @Test
    void callsPassInTheirOrderAndReadersTogetherWhoeverLeavesWhen() {
        check(5, List.of(Step.ENTERS, Step.LEAVES), List.of(Kind.SHARED));
    }

    @Test
    void aCallThatDoesNotWaitOrLeavesInItsTurnHoldsNobodyUp() {
        check(4, List.of(Step.ENTERS, Step.LEAVES), List.of(Kind.SHARED, Kind.IMPATIENT, Kind.LEAVES_AT_ONCE));
    }

    @Test
    void theReplyIsTheLastToACallThatWasThenAdmittedAndGoesWithTheQueue() {
        check(3, List.of(Step.ENTERS, Step.IS_ANSWERED, Step.LEAVES), List.of(Kind.SHARED, Kind.FAILS));
    }

    /** It may be cancelled twice, and end by itself as well. */
    @Test
    void leavingTwiceIsLeavingOnce() {
        check(3, List.of(Step.ENTERS, Step.LEAVES, Step.LEAVES), List.of(Kind.SHARED, Kind.LEAVES_AT_ONCE));
    }

    private static void check(int calls, List<Step> steps, List<Kind> choices) {
        List<List<List<Kind>>> allKinds = new ArrayList<>();
        forEachKinds(calls, choices, allKinds::add);
        forEachOrder(
                new int[calls],
                new ArrayList<>(),
                steps,
                events -> allKinds.forEach(kinds -> new History(kinds).check(events)));
    }

    private static void forEachKinds(int calls, List<Kind> choices, Consumer<List<List<Kind>>> action) {
        int each = 1 << choices.size();
        for (int all = 0; all < Math.pow(each, calls); all++) {
            List<List<Kind>> kinds = new ArrayList<>();
            for (int call = 0, rest = all; call < calls; call++, rest /= each) {
                int bits = rest % each;
                kinds.add(choices.stream()
                        .filter(kind -> (bits & (1 << choices.indexOf(kind))) != 0)
                        .toList());
            }
            action.accept(kinds);
        }
    }

    /** Each call takes its steps in their order; the first steps are in the order of the calls, which is no loss. */
    private static void forEachOrder(int[] taken, List<Event> events, List<Step> steps, Consumer<List<Event>> action) {
        boolean complete = true;
        for (int call = 0; call < taken.length; call++) {
            if (taken[call] < steps.size() && (taken[call] > 0 || call == 0 || taken[call - 1] > 0)) {
                complete = false;
                events.add(new Event(call, steps.get(taken[call]++)));
                forEachOrder(taken, events, steps, action);
                events.remove(events.size() - 1);
                taken[call]--;
            }
        }
        if (complete) {
            action.accept(events);
        }
    }
}
