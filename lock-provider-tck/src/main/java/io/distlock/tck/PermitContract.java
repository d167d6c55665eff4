package io.distlock.tck;

import static io.distlock.tck.ContractFixture.LONG_PATIENCE;
import static io.distlock.tck.ContractFixture.assertNothingAt;
import static io.distlock.tck.ContractFixture.assertRefused;
import static io.distlock.tck.ContractFixture.get;
import static io.distlock.tck.ContractFixture.now;
import static io.distlock.tck.ContractFixture.patiently;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** As many hold a lock as it has permits, and whichever is released is passed on. */
abstract class PermitContract extends ContractPart {

    private static final int PERMITS = 2;

    private final LockKey key = uniqueKey();

    PermitContract(ContractFixture fixture) {
        super(fixture);
    }

    private LockRequest patient(LockClient client) {
        return patiently(client, key).withPermits(PERMITS);
    }

    /** Nobody holds a permit, or waits for one. */
    private void assertNothingLeft() {
        for (int permit = 1; permit <= PERMITS; permit++) {
            assertNothingAt(one(), key.permit(permit));
        }
    }

    @Test
    void asManyHoldAsThereArePermits() {
        HeldLock first = one().acquire(patient(one()));
        HeldLock second = other().acquire(patient(other()));
        assertThat(List.of(first.permit(), second.permit())).containsExactlyInAnyOrder(1, 2);
        LockClient third = newClient(newSeparateProvider());
        assertRefused(third, now(third, key).withPermits(PERMITS));
        second.release();
        try (HeldLock freed = third.acquire(patient(third))) {
            assertThat(freed.permit()).isEqualTo(second.permit());
        }
        first.release();
        assertNothingLeft();
    }

    @Test
    void aWaiterGetsWhicheverPermitIsReleased() {
        for (int released = 0; released < PERMITS; released++) {
            List<HeldLock> held = Stream.generate(() -> one().acquire(patient(one())))
                    .limit(PERMITS)
                    .toList();
            CompletableFuture<HeldLock> waiter = other().acquireAsync(patient(other()));
            assertWaits(key, waiter);
            held.get(released).release();
            HeldLock passedOn = get(waiter);
            assertThat(passedOn.permit()).isEqualTo(held.get(released).permit());
            passedOn.close();
            held.forEach(HeldLock::release);
        }
        assertNothingLeft();
    }

    @Test
    void aWaiterKeepsOneOfThePermitsThatAreReleasedTogether() {
        List<HeldLock> held = Stream.generate(() -> one().acquire(patient(one())))
                .limit(PERMITS)
                .toList();
        CompletableFuture<HeldLock> waiter = other().acquireAsync(patient(other()));
        assertWaits(key, waiter);
        held.forEach(HeldLock::releaseAsync);
        HeldLock kept = get(waiter);
        HeldLock rest = one().acquire(patient(one()));
        assertThat(List.of(kept.permit(), rest.permit())).containsExactlyInAnyOrder(1, 2);
        assertThat(kept.isHeld()).isTrue();
        rest.release();
        kept.release();
        assertNothingLeft();
    }

    @Test
    void aWaiterThatGivesUpLeavesNothingAtAnyPermit() {
        List<HeldLock> held = Stream.generate(() -> one().acquire(patient(one())))
                .limit(PERMITS)
                .toList();
        CompletableFuture<HeldLock> waiter = other().acquireAsync(patient(other()));
        assertWaits(key, waiter);
        waiter.cancel(true);
        held.forEach(HeldLock::release);
        assertNothingLeft();
    }

    @Test
    void theBoundHoldsAmongManyClients() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Void>> workers = Stream.of(
                        one(), other(), newClient(newProvider()), newClient(newSeparateProvider()))
                .map(client -> CompletableFuture.runAsync(
                        () -> {
                            for (int round = 0; round < 5; round++) {
                                try (HeldLock held =
                                        client.acquire(patient(client).withWaitTime(LONG_PATIENCE))) {
                                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                                    assertThat(held.isHeld()).isTrue();
                                    inside.decrementAndGet();
                                }
                            }
                        },
                        task -> new Thread(task, "contract-permit").start()))
                .toList();
        workers.forEach(worker -> get(worker, LONG_PATIENCE));
        assertThat(most).hasValueLessThanOrEqualTo(PERMITS);
        assertNothingLeft();
    }
}
