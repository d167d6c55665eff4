package io.distlock.engine.question;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import org.junit.jupiter.api.Test;

/** What a client says of itself, of its store, and of a lock. */
@EndsInTime
class LockClientQuestionsTests {

    private final ManualEngine here = new ManualEngine();

    @Test
    void anInspectionIsTheStoresAnswerWhoeverHoldsTheLock() {
        assertThat(here.client.inspect(LockKey.of("a"))).isEmpty();
        HeldLock held = here.other.acquire(here.now("a"));
        assertThat(here.client.inspect(LockKey.of("a"))).hasValueSatisfying(status -> {
            assertThat(status.mode()).isEqualTo(LockMode.EXCLUSIVE);
            assertThat(status.holders())
                    .singleElement()
                    .satisfies(holder -> assertThat(holder.token()).contains(held.fencingToken()));
        });
        held.release();
        assertThat(here.client.inspect(LockKey.of("a"))).isEmpty();
    }

    @Test
    void itsNameIsThatOfItsProvider() {
        assertThat(here.client.provider()).isEqualTo(here.provider.name()).isEqualTo("in-memory");
    }

    @Test
    void aLockAndItsViewNameTheirKeys() {
        assertThat(here.client.asLock(here.now("a"))).hasToString("Lock[a]");
        HeldLock held = here.hold("a");
        assertThat(held).hasToString("HeldLock[a, EXCLUSIVE, token " + held.fencingToken() + ", Held]");
        held.release();
        assertThat(held.toString()).endsWith("Released]");
    }
}
