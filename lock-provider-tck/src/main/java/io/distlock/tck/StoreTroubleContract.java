package io.distlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What every provider must do while its store is frozen, down or disconnected. Each test ends with a working store and a
 * free key.
 */
public abstract class StoreTroubleContract extends ContractFixture {

    /** The faults of the store under test. */
    protected abstract StoreFaults faults();

    /** A provider for the same store, over connections that {@link StoreFaults#disconnect()} leaves open. */
    protected abstract LockProvider createUntroubledProvider(LockRuntime runtime);

    /** A provider that has just started, over connections of its own. */
    protected LockProvider createColdProvider(LockRuntime runtime) {
        return createProvider(runtime);
    }

    @AfterEach
    void mend() {
        faults().thaw();
        faults().reconnect();
    }

    /** Loading classes and connecting is not the store's silence, and may take longer than a call. */
    @Test
    void theFirstCallOfAProcessWaitsForItsFirstConnection() {
        LockKey key = uniqueKey();
        faults().freeze();
        LockProvider cold = keep(createColdProvider(runtime()));
        LockClient started = newClient(cold);
        CompletableFuture<HeldLock> first = started.acquireAsync(now(started, key));
        long since = runtime().ticker().nanos();
        long twoCalls = cold.callTimeout().multipliedBy(2).toNanos();
        await().atMost(PATIENCE).until(() -> runtime().ticker().nanos() - since > twoCalls);
        faults().thaw();
        get(first).close();
        assertNothingAt(started, key);
    }

    @Test
    void acquiringFromAFrozenStoreEndsInTimeAndLeavesNothing() {
        LockKey key = uniqueKey();
        warmUp();
        faults().freeze();
        Duration wait = Duration.ofMillis(500);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> one.acquire(now(one, key).withWaitTime(wait)))
                .satisfies(failure -> assertThat(failure.elapsed())
                        .isLessThan(wait.plus(provider.callTimeout()).plus(SLOW_MACHINE)));
        faults().thaw();
        // Freed by the reaper, well before its time to live: a lock that nobody holds is not renewed.
        await().atMost(PATIENCE).untilAsserted(() -> assertFree(key));
        assertNothingAt(one, key);
    }

    @Test
    void oneAttemptAtAFrozenStoreEndsInTime() {
        warmUp();
        faults().freeze();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> one.acquire(now(one, uniqueKey())))
                .satisfies(failure -> assertThat(failure.elapsed())
                        .isLessThan(provider.callTimeout().plus(SLOW_MACHINE)));
    }

    @Test
    void acquiringFromAStoreThatIsGoneIsUnavailableAndWorksOnceItIsBack() {
        LockKey key = uniqueKey();
        warmUp();
        faults().disconnect();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> one.acquire(now(one, key).withWaitTime(Duration.ofMillis(300))));
        faults().reconnect();
        one.acquire(patiently(one, key)).close();
        // The other client's connection comes back in its own time.
        await().atMost(PATIENCE).untilAsserted(() -> assertFree(key));
    }

    @Test
    void aStoreThatComesBackWithinTheWaitTimeIsUsed() {
        LockKey key = uniqueKey();
        warmUp();
        faults().disconnect();
        CompletableFuture<HeldLock> waiter = one.acquireAsync(patiently(one, key));
        assertThat(waiter).isNotDone();
        faults().reconnect();
        get(waiter).close();
        await().atMost(PATIENCE).untilAsserted(() -> assertFree(key));
    }

    @Test
    void waitingOnAStoreThatFreezesEndsInTimeAndIsNotTakenForARefusal() {
        assertWaitingIsUnavailableAfter(faults()::freeze);
    }

    @Test
    void waitingOnAStoreThatVanishesEndsInTimeAndIsNotTakenForARefusal() {
        assertWaitingIsUnavailableAfter(faults()::disconnect);
    }

    /** The waiter was rightly refused, but the key may have been freed since then. */
    private void assertWaitingIsUnavailableAfter(Runnable trouble) {
        LockKey key = uniqueKey();
        one.acquire(patiently(one, key));
        // Not over before the trouble begins, also on a machine that stands still for once.
        Duration wait = Duration.ofSeconds(12);
        Refusals refusals = new Refusals();
        CompletableFuture<Optional<Grant>> waiter = provider.acquire(waiting(key, wait, refusals));
        // Refused once it looks; and again once it listens, after which it has nothing to do but wait.
        await().atMost(PATIENCE).until(() -> refusals.count() >= 2);
        trouble.run();
        long since = runtime().ticker().nanos();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiter.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .withCauseInstanceOf(LockUnavailableException.class);
        Duration ended = Duration.ofNanos(runtime().ticker().nanos() - since);
        assertThat(ended).isLessThan(wait.plus(provider.callTimeout()).plus(SLOW_MACHINE));
    }

    private LeaseRequest waiting(LockKey key, Duration wait, LeaseRequest.Listener progress) {
        Deadline deadline = Deadline.in(wait, runtime().ticker());
        return new LeaseRequest(key, LockMode.EXCLUSIVE, "waiter", one.options(), deadline, progress);
    }

    @Test
    void aWaiterIsWokenAfterItsConnectionWasCut() {
        LockKey key = uniqueKey();
        HeldLock held = one.acquire(patiently(one, key));
        CompletableFuture<HeldLock> waiter = other.acquireAsync(patiently(other, key));
        assertThat(waiter).isNotDone();
        faults().cut();
        releaseAtLast(held);
        get(waiter).close();
        await().atMost(PATIENCE).untilAsserted(() -> assertFree(key));
    }

    @Test
    void aHolderThatCannotRenewKnowsBeforeAnotherCanHaveTheLock() {
        LockKey key = uniqueKey();
        warmUp();
        LockClient untroubled = newClient(keep(createUntroubledProvider(runtime())));
        untroubled.acquire(patiently(untroubled, uniqueKey())).close();
        HeldLock held = one.acquire(briefly(patiently(one, key)));
        faults().disconnect();
        // Requested only now: on a machine that stalls it could have been granted before.
        CompletableFuture<HeldLock> next = untroubled.acquireAsync(patiently(untroubled, key));
        CompletableFuture<Boolean> bothAtOnce = next.thenApply(granted -> held.isHeld());
        assertThat(get(bothAtOnce)).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::ensureHeld);
        assertThat(get(held.lost()).reason()).isEqualTo(LockLoss.Reason.EXPIRED);
        get(next).close();
    }

    @Test
    void aHolderOfAFrozenStoreIsNeverToldThatItStillHolds() {
        HeldLock held = one.acquire(briefly(patiently(one, uniqueKey())));
        faults().freeze();
        get(held.lost());
        assertThat(held.isHeld()).isFalse();
        faults().thaw();
        // The renewals that were under way are applied now; the loss is final nevertheless.
        assertNothingAt(one, uniqueKey());
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
    }

    @Test
    void aCutConnectionDoesNotLoseTheLock() {
        LockKey key = uniqueKey();
        Duration lease = Duration.ofSeconds(15);
        HeldLock held = one.acquire(patiently(one, key).withLeaseTime(lease));
        long granted = runtime().ticker().nanos();
        faults().cut();
        // It was renewed, over a new connection.
        awaitKeptBeyond(lease, key, granted);
        assertThat(held.isHeld()).isTrue();
        assertRefused(other, now(other, key));
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        assertFree(key);
    }

    @Test
    void releasingToAFrozenStoreEndsInTimeAndIsMadeUpForLater() {
        LockKey key = uniqueKey();
        HeldLock held = one.acquire(patiently(one, key));
        faults().freeze();
        long asked = runtime().ticker().nanos();
        assertThat(held.release()).isEqualTo(Release.UNKNOWN);
        assertThat(Duration.ofNanos(runtime().ticker().nanos() - asked))
                .isLessThan(provider.callTimeout().plus(SLOW_MACHINE));
        faults().thaw();
        await().atMost(PATIENCE).untilAsserted(() -> assertFree(key));
    }

    /** Or until its own lease has expired, where a store keeps a place in a queue for so long. */
    @Test
    void aWriterThatDiesWhileItWaitsHoldsReadersUpForSecondsOnly() {
        needsSharedMode();
        LockKey key = uniqueKey();
        LockClient alive = newClient(keep(createUntroubledProvider(runtime())));
        LockRequest reading = patiently(alive, key).withMode(LockMode.SHARED).withLeaseTime(LONG_PATIENCE);
        try (HeldLock reader = alive.acquire(reading)) {
            CompletableFuture<HeldLock> writer =
                    one.acquireAsync(briefly(now(one, key).withWaitTime(LONG_PATIENCE)));
            // Readers let it pass, so it has arrived.
            await().atMost(PATIENCE).until(() -> {
                Optional<HeldLock> next = alive.tryAcquire(reading.withWaitTime(Duration.ZERO));
                next.ifPresent(HeldLock::close);
                return next.isEmpty();
            });
            faults().disconnect();
            HeldLock next = get(alive.acquireAsync(reading.withWaitTime(LONG_PATIENCE)));
            assertThat(writer).isNotDone();
            assertThat(reader.isHeld()).isTrue();
            next.close();
            writer.cancel(true);
        }
    }

    /** Opens connections before the fault begins. */
    private void warmUp() {
        LockKey key = uniqueKey();
        one.acquire(patiently(one, key)).close();
        other.acquire(patiently(other, key)).close();
    }

    /** The first answers after a cut may be errors; an unanswered release is retried in the background. */
    private static void releaseAtLast(HeldLock held) {
        assertThat(held.release()).isNotEqualTo(Release.NOT_OWNER);
    }

    /** Distinct from {@link LockUnavailableException}: silence must not be taken for "held by another". */
    @Test
    void aBusyLockIsNotAnUnavailableStore() {
        LockKey key = uniqueKey();
        try (HeldLock held = one.acquire(patiently(one, key))) {
            assertThat(refusal(other, now(other, key).withWaitTime(Duration.ofSeconds(1)))
                            .key())
                    .isEqualTo(key);
            assertThat(held.isHeld()).isTrue();
        }
    }
}
