package io.distlock.engine.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockUnavailableException;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@EndsInTime
class SilentStoreInTheQueueTests {

    private final ManualEngine here = new ManualEngine();

    /** A store that does not answer is no busy lock, also for those who stand behind the one who asks it. */
    @Test
    void whoWaitsBehindACallThatTheStoreDoesNotAnswerIsNotToldThatAnotherHasTheLock() {
        here.provider.onAcquire(Fault.SILENCE);
        var first = here.start(here.request("orders"));
        var second = here.start(here.request("orders"));
        here.ticker.advance(Duration.ofSeconds(10));
        assertUnavailable(first);
        assertUnavailable(second);
    }

    @Test
    void neitherIsWhoMakesOneAttemptBehindACallToWhichTheStoreIsKnownToBeSilent() {
        here.provider.onAcquire(Fault.SILENCE);
        here.start(here.request("orders"));
        var next = here.start(here.request("orders").withWaitTime(Duration.ofMinutes(1)));
        here.ticker.advance(Duration.ofSeconds(10));
        // The first one has found out; the next one asks now.
        assertThat(next).isNotDone();
        assertUnavailable(here.start(here.now("orders")));
    }

    /** Somebody of this process is before it, that is an answer. */
    @Test
    void whoMakesOneAttemptBehindACallOfWhichNothingIsKnownIsRefused() {
        here.provider.onAcquire(Fault.SILENCE);
        here.start(here.request("orders"));
        assertThat(here.start(here.now("orders"))).isCompletedWithValue(Optional.empty());
    }

    /** The one that was cancelled had its answer: another has the lock. */
    @Test
    void whoComesAfterACancelledCallIsNotToldThatTheStoreFailed() {
        here.other.acquire(here.now("orders"));
        var cancelled = here.start(here.request("orders"));
        here.provider.onAcquire(Fault.SILENCE);
        var next = here.start(here.request("orders").withWaitTime(Duration.ofMinutes(1)));
        cancelled.cancel(true);
        assertThat(next).isNotDone();
        assertThat(here.start(here.now("orders"))).isCompletedWithValue(Optional.empty());
    }

    private static void assertUnavailable(CompletableFuture<Optional<HeldLock>> asked) {
        assertThat(asked)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(LockUnavailableException.class);
    }
}
