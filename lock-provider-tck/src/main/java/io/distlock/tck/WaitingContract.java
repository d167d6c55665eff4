package io.distlock.tck;

import static io.distlock.tck.ContractFixture.LONG_PATIENCE;
import static io.distlock.tck.ContractFixture.PATIENCE;
import static io.distlock.tck.ContractFixture.SLOW_MACHINE;
import static io.distlock.tck.ContractFixture.assertNothingAt;
import static io.distlock.tck.ContractFixture.get;
import static io.distlock.tck.ContractFixture.now;
import static io.distlock.tck.ContractFixture.patiently;
import static io.distlock.tck.ContractFixture.refusal;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** A waiter is served, or fails in time, and leaves nothing behind. */
abstract class WaitingContract extends ContractPart {

    WaitingContract(ContractFixture fixture) {
        super(fixture);
    }

    @Test
    void aWaiterGetsTheLockWhenItIsReleased() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key));
        CompletableFuture<HeldLock> waiter = other().acquireAsync(patiently(other(), key));
        assertWaits(key, waiter);
        held.release();
        get(waiter).close();
    }

    @Test
    void aWaiterIsToldOfARelease() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key));
        CompletableFuture<HeldLock> waiter =
                other().acquireAsync(now(other(), key).withWaitTime(LONG_PATIENCE));
        // Time to subscribe: a waiter that has not subscribed yet need not be notified.
        await().pollDelay(Duration.ofSeconds(1)).untilAsserted(() -> assertWaits(key, waiter));
        held.release();
        // Neither the end of the lease nor the last look before the deadline comes so soon.
        get(waiter, SLOW_MACHINE).close();
    }

    @Test
    void aWaiterGetsTheLockAfterItsHolderHasVanished() {
        LockKey key = uniqueKey();
        LockClient doomed = newClient(newProvider());
        doomed.acquire(briefly(patiently(doomed, key)));
        CompletableFuture<HeldLock> waiter = other().acquireAsync(patiently(other(), key));
        long vanished = runtime().ticker().nanos();
        doomed.close();
        HeldLock taken = get(waiter);
        Duration after = Duration.ofNanos(runtime().ticker().nanos() - vanished);
        taken.close();
        assertThat(after)
                .isLessThan(traits().shortLease().plus(traits().freeAfter()).plus(SLOW_MACHINE));
    }

    @Test
    void waitingEndsWithItsDeadline() {
        LockKey key = uniqueKey();
        try (HeldLock held = one().acquire(patiently(one(), key))) {
            // Counted from just after the deadline was set: on a busy machine, that may be a moment later.
            assertThat(refusal(other(), now(other(), key).withWaitTime(Duration.ofSeconds(1)))
                            .elapsed())
                    .isBetween(Duration.ofMillis(900), PATIENCE);
            assertThat(held.isHeld()).isTrue();
        }
        assertFree(key);
    }

    @Test
    void aWaitThatIsCancelledLeavesNothing() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key));
        CompletableFuture<HeldLock> waiter = other().acquireAsync(patiently(other(), key));
        assertWaits(key, waiter);
        waiter.cancel(true);
        held.release();
        await().atMost(PATIENCE).untilAsserted(() -> assertFree(key));
        assertNothingAt(one(), key);
    }

    /** Both wait for the same holder, perhaps by one watch or one subscription. */
    @Test
    void aReaderThatGivesUpLeavesTheWakeUpToAnother() {
        needsSharedMode();
        LockKey key = uniqueKey();
        HeldLock held = other().acquire(patiently(other(), key));
        CompletableFuture<Optional<Grant>> stays = provider().acquire(reading(key, "stays"));
        CompletableFuture<Optional<Grant>> goes = provider().acquire(reading(key, "goes"));
        // Time to subscribe: a waiter that has not subscribed yet need not be notified.
        await().pollDelay(Duration.ofSeconds(1)).untilAsserted(() -> assertWaits(key, stays));
        goes.cancel(true);
        held.release();
        // Neither the end of the lease nor the last look before the deadline comes so soon.
        Grant granted = get(stays, SLOW_MACHINE).orElseThrow();
        assertThat(get(provider().release(granted.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
    }

    private LeaseRequest reading(LockKey key, String owner) {
        Deadline deadline = Deadline.in(LONG_PATIENCE, runtime().ticker());
        return new LeaseRequest(key, LockMode.SHARED, owner, one().options(), deadline);
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsKeepsItsFlagAndLeavesNothing() throws InterruptedException {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key));
        Map<String, Object> seen = new ConcurrentHashMap<>();
        Thread waiter = new Thread(() -> {
            try {
                other().acquire(patiently(other(), key));
            } catch (LockInterruptedException interrupt) {
                seen.put("exception", interrupt);
                seen.put("flag", Thread.currentThread().isInterrupted());
            }
        });
        waiter.start();
        await().atMost(PATIENCE).until(() -> waiter.getState() == Thread.State.WAITING);
        waiter.interrupt();
        waiter.join(PATIENCE.toMillis());
        assertThat(seen).containsKey("exception").containsEntry("flag", true);
        held.release();
        await().atMost(PATIENCE).untilAsserted(() -> assertFree(key));
    }

    @Test
    void thoseWhoWaitInOneClientAreServedInTheirOrder() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key));
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int number = 0; number < 10; number++) {
            int own = number;
            waiters.add(other().acquireAsync(now(other(), key).withWaitTime(LONG_PATIENCE))
                    .thenAccept(lock -> {
                        order.add(own);
                        lock.close();
                    }));
        }
        held.release();
        waiters.forEach(waiter -> get(waiter, LONG_PATIENCE));
        assertThat(order).isSorted().hasSize(10);
    }

    @Test
    void clientsAreServedInTheirOrderIfTheStorePromisesIt() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key));
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int number = 0; number < 5; number++) {
            int own = number;
            LockClient client = newClient(newProvider());
            LockRequest request = now(client, key).withWaitTime(LONG_PATIENCE);
            waiters.add(client.acquireAsync(request).thenAccept(lock -> {
                order.add(own);
                lock.close();
            }));
            int queued = number + 1;
            if (traits().fifo()) {
                await().atMost(PATIENCE)
                        .until(() -> one().inspect(key).orElseThrow().waiters().orElseThrow() == queued);
            }
        }
        held.release();
        waiters.forEach(waiter -> get(waiter, LONG_PATIENCE));
        // Without the promise, each of them is served nevertheless.
        if (traits().fifo()) {
            assertThat(order).isSorted();
        }
        assertThat(order).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    }
}
