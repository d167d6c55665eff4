package io.distlock.engine.permit;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockRequest;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Calls for permits beside each other: what each learns from the one before it, and what a cancelled one leaves. */
@EndsInTime
class PermitQueueTests {

    private static final LockKey KEY = LockKey.of("imports");

    private final ManualEngine here = new ManualEngine();

    private LockRequest permits(int permits) {
        return here.client.request(KEY).withPermits(permits);
    }

    private void holdAllElsewhere(int permits) {
        for (int permit = 1; permit <= permits; permit++) {
            here.other.acquire(here.other.request(KEY.permit(permit)).withWaitTime(Duration.ZERO));
        }
    }

    /** The store was never asked for it, and has answered the one before it. */
    @Test
    void aCallBehindOneThatWaitsKnowsThatAllPermitsAreHeld() {
        holdAllElsewhere(3);
        var first = here.start(permits(3));
        var second = here.start(permits(3).withWaitTime(Duration.ofSeconds(1)));

        here.advanceMillis(1_000);

        assertThat(second).isCompletedWithValue(Optional.empty());
        assertThat(first).isNotDone();
    }

    @Test
    void aSingleAttemptAsksForTheNextPermitOnlyWhenTheLastIsRefused() {
        here.provider.onAcquire(Fault.LATE);
        var asked = here.start(permits(3).withWaitTime(Duration.ZERO));
        assertThat(here.provider.acquires()).isEqualTo(1);

        here.provider.deliver();

        assertThat(asked.join()).isPresent();
        assertThat(here.provider.acquires()).isEqualTo(1);
    }

    @Test
    void aCallThatWouldWaitForAPermitOfItsOwnProcessTakesOneThatIsFree() {
        here.client.acquire(here.client.request(KEY).withWaitTime(Duration.ZERO));
        for (int round = 0; round < 30; round++) {
            var asked = here.start(permits(2));
            assertThat(asked).as("round %s", round).isDone();
            HeldLock granted = asked.join().orElseThrow();
            assertThat(granted.permit()).isEqualTo(2);
            granted.release();
        }
    }

    /** As soon as it hears of its grant, a caller may ask again. */
    @Test
    void theNextAttemptOfACallerFindsNothingOfItsLastInTheQueues() {
        holdAllElsewhere(3);
        AtomicReference<Integer> sent = new AtomicReference<>();
        here.start(permits(3)).thenRun(() -> {
            int before = here.provider.acquires();
            here.start(permits(3).withWaitTime(Duration.ZERO));
            sent.set(here.provider.acquires() - before);
        });

        here.store.forceRelease(
                KEY.permit(2),
                here.store
                        .inspect(KEY.permit(2))
                        .toCompletableFuture()
                        .join()
                        .orElseThrow()
                        .holders()
                        .get(0)
                        .token()
                        .orElseThrow());

        assertThat(sent.get()).as("questions for the two that others hold").isEqualTo(2);
    }

    @Test
    void cancellingSaysWhetherItCameInTime() {
        holdAllElsewhere(2);
        CompletableFuture<Optional<HeldLock>> asked = here.start(permits(2));
        assertThat(asked.cancel(true)).isTrue();
        CompletableFuture<Optional<HeldLock>> granted = here.start(permits(3));
        assertThat(granted.cancel(true)).isFalse();
        assertThat(granted.join().orElseThrow().permit()).isEqualTo(3);
    }

    /** By a listener that hears of the grant before the caller does. */
    @Test
    void aGrantWhoseCallIsCancelledMeanwhileIsGivenBack() {
        List<HeldLock> unseen = new ArrayList<>();
        AtomicReference<Runnable> cancel = new AtomicReference<>(() -> {});
        here.client.addListener(event -> {
            if (event instanceof LockEvent.Acquired) {
                cancel.get().run();
            }
        });
        here.client.addRequestListener(request -> new LockListener.OfRequest() {

            @Override
            public void granted(HeldLock lock) {
                unseen.add(lock);
            }
        });
        here.provider.onAcquire(Fault.LATE);
        var asked = here.start(permits(3));
        cancel.set(() -> asked.cancel(true));

        here.provider.deliver();

        assertThat(asked).isCancelled();
        assertThat(unseen).isEmpty();
        for (int permit = 1; permit <= 3; permit++) {
            assertThat(here.store
                            .inspect(KEY.permit(permit))
                            .toCompletableFuture()
                            .join())
                    .as("permit %s", permit)
                    .isEmpty();
        }
        assertThat(here.openWork()).isDone();
    }
}
