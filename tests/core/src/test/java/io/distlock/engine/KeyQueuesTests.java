package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** The queue of one process before the store, for itself. */
@EndsInTime
class KeyQueuesTests {

    private final KeyQueues queues = new KeyQueues();
    private final List<String> letIn = new ArrayList<>();

    @Test
    void theFirstGoesInAndTheOthersFollowInTheirOrder() {
        List<KeyQueues.Ticket> tickets = new ArrayList<>();
        for (String who : List.of("first", "second", "third", "fourth")) {
            tickets.add(ticket("a", who, LockMode.EXCLUSIVE));
        }
        assertThat(tickets.stream().map(ticket -> queues.enter(ticket, true)))
                .containsExactly(true, false, false, false);
        tickets.forEach(queues::leave);
        assertThat(letIn).containsExactly("second", "third", "fourth");
        assertThat(queues.size()).isZero();
    }

    @Test
    void keysWhoseHashesCollideDoNotMeet() {
        LockKey one = LockKey.of("Aa");
        LockKey other = LockKey.of("BB");
        assertThat(one.hashCode()).isEqualTo(other.hashCode());
        assertThat(queues.enter(ticket("Aa", "one", LockMode.EXCLUSIVE), true)).isTrue();
        assertThat(queues.enter(ticket("BB", "other", LockMode.EXCLUSIVE), true))
                .isTrue();
        assertThat(queues.size()).isEqualTo(2);
    }

    @Test
    void whoeverLeavesTheQueueLeavesNothingAndIsNotLetIn() {
        KeyQueues.Ticket inside = entered("inside", LockMode.EXCLUSIVE);
        KeyQueues.Ticket impatient = entered("impatient", LockMode.EXCLUSIVE);
        KeyQueues.Ticket patient = entered("patient", LockMode.EXCLUSIVE);
        queues.leave(impatient);
        queues.leave(inside);
        assertThat(letIn).containsExactly("patient");
        queues.leave(patient);
        assertThat(queues.size()).isZero();
    }

    @Test
    void leavingTwiceAdmitsOneOnly() {
        KeyQueues.Ticket inside = entered("inside", LockMode.EXCLUSIVE);
        entered("second", LockMode.EXCLUSIVE);
        entered("third", LockMode.EXCLUSIVE);
        queues.leave(inside);
        queues.leave(inside);
        assertThat(letIn).containsExactly("second");
    }

    @Test
    void sharedOnesPassTogether() {
        entered("exclusive", LockMode.EXCLUSIVE);
        KeyQueues.Ticket inside = ticket("b", "reader", LockMode.SHARED);
        assertThat(queues.enter(inside, true)).isTrue();
        assertThat(queues.enter(ticket("b", "reader-2", LockMode.SHARED), true)).isTrue();
        assertThat(queues.enter(ticket("b", "writer", LockMode.EXCLUSIVE), true))
                .isFalse();
    }

    @Test
    void theLastReaderLetsTheWriterIn() {
        KeyQueues.Ticket first = entered("reader", LockMode.SHARED);
        KeyQueues.Ticket second = entered("reader-2", LockMode.SHARED);
        entered("writer", LockMode.EXCLUSIVE);
        queues.leave(first);
        assertThat(letIn).isEmpty();
        queues.leave(second);
        assertThat(letIn).containsExactly("writer");
    }

    @Test
    void aReaderDoesNotOvertakeAWaitingWriter() {
        KeyQueues.Ticket reader = entered("reader", LockMode.SHARED);
        KeyQueues.Ticket writer = entered("writer", LockMode.EXCLUSIVE);
        entered("late-1", LockMode.SHARED);
        entered("late-2", LockMode.SHARED);
        assertThat(queues.enter(ticket("a", "hasty", LockMode.SHARED), false)).isFalse();
        queues.leave(reader);
        assertThat(letIn).containsExactly("writer");
        queues.leave(writer);
        assertThat(letIn).containsExactly("writer", "late-1", "late-2");
    }

    @Test
    void readersBehindAWriterThatGivesUpPass() {
        entered("reader", LockMode.SHARED);
        KeyQueues.Ticket writer = entered("writer", LockMode.EXCLUSIVE);
        entered("late", LockMode.SHARED);
        queues.leave(writer);
        assertThat(letIn).containsExactly("late");
    }

    @Test
    void whoeverDoesNotWantToWaitLeavesNothingInTheQueue() {
        KeyQueues.Ticket inside = entered("inside", LockMode.EXCLUSIVE);
        KeyQueues.Ticket hasty = ticket("a", "hasty", LockMode.EXCLUSIVE);
        assertThat(queues.enter(hasty, false)).isFalse();
        queues.leave(hasty);
        queues.leave(inside);
        assertThat(letIn).isEmpty();
        assertThat(queues.size()).isZero();
    }

    @Test
    void aCallThatFailsInItsTurnDoesNotHoldUpThoseBehindIt() {
        for (Executor failing : CallbackFixture.executorsThatThrow()) {
            KeyQueues.Ticket inside = entered("inside", LockMode.SHARED);
            KeyQueues.Ticket second =
                    new KeyQueues.Ticket(LockKey.of("a"), LockMode.EXCLUSIVE, () -> failing.execute(() -> {}));
            queues.enter(second, true);
            KeyQueues.Ticket next = entered("next", LockMode.SHARED);
            queues.leave(inside);
            queues.leave(second);
            queues.leave(next);
        }
        assertThat(letIn).containsExactly("next", "next");
        assertThat(queues.size()).isZero();
    }

    /** One that asks, and even one that gives up before it has an answer. */
    @Test
    void aReaderWithoutAnAnswerDoesNotHideThatAnotherHasTheKey() {
        KeyQueues.Ticket holder = entered("holder", LockMode.SHARED);
        holder.refused();
        KeyQueues.Ticket second = entered("second", LockMode.SHARED);
        assertThat(queues.reply(LockKey.of("a"))).isEqualTo(KeyQueues.StoreReply.Answer.TAKEN);
        queues.leave(second);
        assertThat(queues.reply(LockKey.of("a"))).isEqualTo(KeyQueues.StoreReply.Answer.TAKEN);
    }

    private KeyQueues.Ticket entered(String who, LockMode mode) {
        KeyQueues.Ticket ticket = ticket("a", who, mode);
        queues.enter(ticket, true);
        return ticket;
    }

    private KeyQueues.Ticket ticket(String key, String who, LockMode mode) {
        return new KeyQueues.Ticket(LockKey.of(key), mode, () -> letIn.add(who));
    }
}
