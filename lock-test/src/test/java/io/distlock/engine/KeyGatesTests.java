package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The queue of one process before the store, for itself. */
@EndsInTime
class KeyGatesTests {

    private final KeyGates gates = new KeyGates();
    private final List<String> letIn = new ArrayList<>();

    @Test
    void theFirstGoesInAndTheOthersFollowInTheirOrder() {
        List<KeyGates.Ticket> tickets = new ArrayList<>();
        for (String who : List.of("first", "second", "third", "fourth")) {
            tickets.add(ticket("a", who, LockMode.EXCLUSIVE));
        }
        assertThat(tickets.stream().map(gates::enter)).containsExactly(true, false, false, false);
        tickets.forEach(gates::leave);
        assertThat(letIn).containsExactly("second", "third", "fourth");
        assertThat(gates.size()).isZero();
    }

    @Test
    void keysWhoseHashesCollideDoNotMeet() {
        LockKey one = LockKey.of("Aa");
        LockKey other = LockKey.of("BB");
        assertThat(one.hashCode()).isEqualTo(other.hashCode());
        assertThat(gates.enter(ticket("Aa", "one", LockMode.EXCLUSIVE))).isTrue();
        assertThat(gates.enter(ticket("BB", "other", LockMode.EXCLUSIVE))).isTrue();
        assertThat(gates.size()).isEqualTo(2);
    }

    @Test
    void whoeverLeavesTheQueueLeavesNothingAndIsNotLetIn() {
        KeyGates.Ticket inside = entered("inside", LockMode.EXCLUSIVE);
        KeyGates.Ticket impatient = entered("impatient", LockMode.EXCLUSIVE);
        KeyGates.Ticket patient = entered("patient", LockMode.EXCLUSIVE);
        gates.leave(impatient);
        gates.leave(inside);
        assertThat(letIn).containsExactly("patient");
        gates.leave(patient);
        assertThat(gates.size()).isZero();
    }

    @Test
    void leavingTwiceOpensTheGateForOneOnly() {
        KeyGates.Ticket inside = entered("inside", LockMode.EXCLUSIVE);
        entered("second", LockMode.EXCLUSIVE);
        entered("third", LockMode.EXCLUSIVE);
        gates.leave(inside);
        gates.leave(inside);
        assertThat(letIn).containsExactly("second");
    }

    @Test
    void sharedOnesPassTogether() {
        entered("exclusive", LockMode.EXCLUSIVE);
        KeyGates.Ticket inside = ticket("b", "reader", LockMode.SHARED);
        assertThat(gates.enter(inside)).isTrue();
        assertThat(gates.enter(ticket("b", "reader-2", LockMode.SHARED))).isTrue();
        assertThat(gates.enter(ticket("b", "writer", LockMode.EXCLUSIVE))).isFalse();
    }

    @Test
    void theLastReaderLetsTheWriterIn() {
        KeyGates.Ticket first = entered("reader", LockMode.SHARED);
        KeyGates.Ticket second = entered("reader-2", LockMode.SHARED);
        entered("writer", LockMode.EXCLUSIVE);
        gates.leave(first);
        assertThat(letIn).isEmpty();
        gates.leave(second);
        assertThat(letIn).containsExactly("writer");
    }

    @Test
    void aReaderDoesNotOvertakeAWaitingWriter() {
        KeyGates.Ticket reader = entered("reader", LockMode.SHARED);
        KeyGates.Ticket writer = entered("writer", LockMode.EXCLUSIVE);
        entered("late-1", LockMode.SHARED);
        entered("late-2", LockMode.SHARED);
        assertThat(gates.tryEnter(ticket("a", "hasty", LockMode.SHARED))).isFalse();
        gates.leave(reader);
        assertThat(letIn).containsExactly("writer");
        gates.leave(writer);
        assertThat(letIn).containsExactly("writer", "late-1", "late-2");
    }

    @Test
    void readersBehindAWriterThatGivesUpPass() {
        entered("reader", LockMode.SHARED);
        KeyGates.Ticket writer = entered("writer", LockMode.EXCLUSIVE);
        entered("late", LockMode.SHARED);
        gates.leave(writer);
        assertThat(letIn).containsExactly("late");
    }

    @Test
    void whoeverDoesNotWantToWaitLeavesNothingInTheQueue() {
        KeyGates.Ticket inside = entered("inside", LockMode.EXCLUSIVE);
        KeyGates.Ticket hasty = ticket("a", "hasty", LockMode.EXCLUSIVE);
        assertThat(gates.tryEnter(hasty)).isFalse();
        gates.leave(hasty);
        gates.leave(inside);
        assertThat(letIn).isEmpty();
        assertThat(gates.size()).isZero();
    }

    private KeyGates.Ticket entered(String who, LockMode mode) {
        KeyGates.Ticket ticket = ticket("a", who, mode);
        gates.enter(ticket);
        return ticket;
    }

    private KeyGates.Ticket ticket(String key, String who, LockMode mode) {
        return new KeyGates.Ticket(LockKey.of(key), mode, () -> letIn.add(who));
    }
}
