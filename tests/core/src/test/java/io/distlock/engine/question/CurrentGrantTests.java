package io.distlock.engine.question;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockUnavailableException;
import io.distlock.Sequencer;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whether a grant is still current, asked without blocking. */
@EndsInTime
class CurrentGrantTests {

    private final ManualEngine here = new ManualEngine();

    @Test
    void theAnswerIsThatOfTheBlockingQuestion() {
        HeldLock held = here.hold("a");
        Sequencer sequencer = held.sequencers().get(0);
        assertThat(here.client.isCurrentAsync(sequencer)).isCompletedWithValue(true);
        held.release();
        assertThat(here.client.isCurrentAsync(sequencer)).isCompletedWithValue(false);
        assertThat(here.client.isCurrent(sequencer)).isFalse();
    }

    @Test
    void aStoreThatIsSilentOrFailsMakesItUnavailable() {
        Sequencer sequencer = here.hold("a").sequencers().get(0);
        here.provider.onIsCurrent(Fault.SILENCE);
        CompletableFuture<Boolean> silent = here.client.isCurrentAsync(sequencer);
        here.advanceMillis(900);
        assertThat(silent).isNotDone();
        here.advanceMillis(200);
        assertThatThrownBy(silent::join)
                .cause()
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("no answer within 1000 ms");
        here.provider.onIsCurrent(Fault.ERROR);
        CompletableFuture<Boolean> failed = here.client.isCurrentAsync(sequencer);
        failed.whenComplete((current, failure) -> assertThat(failure).isInstanceOf(LockUnavailableException.class));
        assertThatThrownBy(failed::join).hasMessageContaining("fails on purpose");
    }

    @Test
    void theAnswerIsDeliveredWhereTheApplicationsCodeMayBlock() {
        Sequencer sequencer = here.hold("a").sequencers().get(0);
        Queue<Runnable> callbacks = new ArrayDeque<>();
        LockClient client = ManualEngine.client(here.provider, here.runtime, callbacks::add);
        CompletableFuture<Boolean> answer = client.isCurrentAsync(sequencer);
        assertThat(answer).isNotDone();
        callbacks.remove().run();
        assertThat(answer).isCompletedWithValue(true);
    }
}
