package io.distlock.engine.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls of one process that want the same key: who goes to the store, when, and what waiting here costs. */
@EndsInTime
class QueueTests {

    private final ManualEngine here = new ManualEngine();

    @Test
    void callsOfOneProcessAreServedInTheirOrder() {
        HeldLock holder = here.hold("a");
        List<Integer> served = new ArrayList<>();
        for (int call = 0; call < 10; call++) {
            int number = call;
            here.start(here.request("a"))
                    .thenAccept(held -> held.ifPresent(lock -> {
                        served.add(number);
                        lock.releaseAsync();
                    }));
        }
        holder.release();
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        here.assertNothingLeft("a");
    }

    @Test
    void oneCallAtATimeContendsAtTheStore() {
        here.other.acquire(here.request("a"));
        for (int call = 0; call < 10; call++) {
            here.start(here.request("a"));
        }
        assertThat(here.provider.acquires()).isEqualTo(1);
        assertThat(here.waitersAtStore("a")).isEqualTo(1);
        assertThat(here.client.waiting()).hasSize(10);
    }

    @Test
    void aWaiterForOneKeyKeepsNobodyFromAnotherWhoseHashCollides() {
        here.hold("Aa");
        here.start(here.request("Aa"));
        assertThat(here.client.tryAcquire(here.now("BB"))).isPresent();
    }

    @Test
    void oneAttemptAtAKeyThatIsHeldHereAsksNobody() {
        here.hold("a");
        assertThat(here.client.tryAcquire(here.now("a"))).isEmpty();
        assertThat(here.provider.acquires()).isEqualTo(1);
    }

    @Test
    void oneAttemptAtAKeyThatIsWaitedForHereAsksNobody() {
        here.other.acquire(here.request("a"));
        here.start(here.request("a"));
        assertThat(here.client.tryAcquire(here.now("a"))).isEmpty();
        assertThat(here.provider.acquires()).isEqualTo(1);
    }

    @Test
    void oneAttemptGoesToTheStoreAgainOnceTheKeyIsNoLongerHeldHere() {
        here.hold("a").release();
        HeldLock others = here.other.acquire(here.request("a"));
        assertThat(here.client.tryAcquire(here.now("a"))).isEmpty();
        assertThat(here.provider.acquires()).isEqualTo(2);
        others.release();
        assertThat(here.client.tryAcquire(here.now("a"))).isPresent();
    }

    @Test
    void sharedCallsPassTogether() {
        LockRequest reading = here.now("a").withMode(LockMode.SHARED);
        HeldLock first = here.client.acquire(reading);
        HeldLock second = here.client.acquire(reading);
        assertThat(first.isHeld() && second.isHeld()).isTrue();
        assertThat(here.provider.acquires()).isEqualTo(2);
    }

    @Test
    void timeInTheQueueCountsAgainstTheWaitTime() {
        HeldLock holder = here.hold("a");
        here.other.acquireAsync(here.request("a").withWaitTime(Duration.ofMinutes(1)));
        CompletableFuture<Optional<HeldLock>> waiter = here.start(here.request("a"));
        here.advanceMillis(3_000);
        // The other process was first at the store.
        holder.release();
        assertThat(here.provider.acquires()).isEqualTo(2);
        here.advanceMillis(1_999);
        assertThat(waiter).isNotDone();
        here.advanceMillis(1);
        assertThat(waiter).isCompletedWithValue(Optional.empty());
    }

    @Test
    void aCallWhoseTimeEndsInTheQueueLeavesNothingAndTheNextGetsItsTurn() {
        HeldLock holder = here.hold("a");
        CompletableFuture<Optional<HeldLock>> impatient =
                here.start(here.request("a").withWaitTime(Duration.ofSeconds(1)));
        CompletableFuture<Optional<HeldLock>> patient = here.start(here.request("a"));
        here.advanceMillis(1_000);
        assertThat(impatient).isCompletedWithValue(Optional.empty());
        assertOnlyTheNextIsLeft(holder, patient);
    }

    @Test
    void aCallThatIsCancelledInTheQueueLeavesNothingAndTheNextGetsItsTurn() {
        HeldLock holder = here.hold("a");
        CompletableFuture<Optional<HeldLock>> cancelled = here.start(here.request("a"));
        CompletableFuture<Optional<HeldLock>> patient = here.start(here.request("a"));
        cancelled.cancel(true);
        assertOnlyTheNextIsLeft(holder, patient);
    }

    private void assertOnlyTheNextIsLeft(HeldLock holder, CompletableFuture<Optional<HeldLock>> next) {
        assertThat(here.client.waiting()).hasSize(1);
        holder.release();
        next.join().orElseThrow().release();
        assertThat(here.provider.acquires()).isEqualTo(2);
        here.assertNothingLeft("a");
    }

    @Test
    void aWriterThatIsCancelledInTheQueueKeepsNoReaderOut() {
        LockRequest reading = here.request("a").withMode(LockMode.SHARED);
        here.client.acquire(reading);
        CompletableFuture<Optional<HeldLock>> writer = here.start(here.request("a"));
        CompletableFuture<Optional<HeldLock>> reader = here.start(reading);
        assertThat(reader).isNotDone();
        writer.cancel(true);
        assertThat(reader.join()).isPresent();
    }

    @Test
    void aHolderThatLosesItsLockLetsTheNextIn() {
        here.client.acquire(here.now("a").withRenew(false).withLeaseTime(Duration.ofSeconds(1)));
        CompletableFuture<Optional<HeldLock>> next = here.start(here.request("a"));
        here.advanceMillis(988);
        assertThat(next.join()).isPresent();
    }

    @Test
    void keysLeaveNothingInTheQueuesWhenTheyAreNoLongerUsed() {
        here.other.acquire(here.request("taken"));
        for (int key = 0; key < 500; key++) {
            here.hold("key-" + key).release();
            here.client.tryAcquire(here.now("taken"));
        }
        here.provider.onAcquire(Fault.ERROR);
        here.start(here.request("failing"));
        assertThat(here.queues()).isZero();
        assertThat(here.client.waiting()).isEmpty();
    }

    @Test
    void thousandsThatWaitHereAreAllToldOfAStoreThatFails() {
        HeldLock holder = here.hold("a");
        List<CompletableFuture<Optional<HeldLock>>> waiters = new ArrayList<>();
        for (int call = 0; call < 5_000; call++) {
            waiters.add(here.start(here.request("a")));
        }
        here.provider.onAcquire(Fault.ERROR);
        assertThat(holder.releaseAsync()).isCompleted();
        assertThat(waiters.stream().filter(CompletableFuture::isCompletedExceptionally))
                .hasSize(5_000);
        here.assertNothingLeft("a");
    }

    @Test
    void readersThatWaitedForAWriterComeInTogether() {
        HeldLock writer = here.hold("a");
        LockRequest reading = here.request("a").withMode(LockMode.SHARED);
        List<CompletableFuture<Optional<HeldLock>>> readers =
                List.of(here.start(reading), here.start(reading), here.start(reading));
        writer.release();
        assertThat(readers).allSatisfy(reader -> assertThat(reader.join()).isPresent());
        assertThat(here.atStore("a").orElseThrow().holders()).hasSize(3);
    }
}
