package io.distlock.test.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockRequest;
import io.distlock.LossReason;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * What every provider must do on a store that works: exclusion, waiting, leasing, releasing, fencing. Extend it,
 * change nothing: in what stores differ is a parameter ({@link StoreTraits}).
 */
public abstract class LockProviderContract extends ContractFixture {

    @Nested
    class Exclusion {

        @Test
        void aHeldLockIsRefusedToAnotherClient() {
            LockKey key = uniqueKey();
            try (HeldLock held = one.acquire(now(one, key))) {
                assertThat(held.isHeld()).isTrue();
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> other.acquire(now(other, key)))
                        .satisfies(refused -> assertThat(refused.key()).isEqualTo(key));
            }
        }

        @Test
        void exclusiveHoldersNeverOverlap() {
            UnguardedCounter witness = new UnguardedCounter();
            LockKey key = uniqueKey();
            int rounds = 25;
            List<CompletableFuture<Void>> workers = new ArrayList<>();
            for (LockClient client : List.of(one, other, one, other)) {
                workers.add(CompletableFuture.runAsync(
                        () -> {
                            for (int round = 0; round < rounds; round++) {
                                HeldLock lock = client.acquire(patiently(client, key));
                                witness.increment();
                                lock.close();
                            }
                        },
                        task -> new Thread(task, "contract-worker").start()));
            }
            workers.forEach(ContractFixture::get);
            assertThat(witness.value()).isEqualTo(4 * rounds);
            assertThat(witness.sawAnother()).isFalse();
        }

        @Test
        void sharedHoldersHoldTogether() {
            LockKey key = uniqueKey();
            try (HeldLock reader = one.acquire(now(one, key).withMode(LockMode.SHARED));
                    HeldLock second = other.acquire(now(other, key).withMode(LockMode.SHARED))) {
                assertThat(reader.isHeld()).isTrue();
                assertThat(second.isHeld()).isTrue();
            }
        }

        @Test
        void aWriterWaitsForTheLastReader() {
            LockKey key = uniqueKey();
            HeldLock first = one.acquire(now(one, key).withMode(LockMode.SHARED));
            HeldLock second = other.acquire(now(other, key).withMode(LockMode.SHARED));
            CompletableFuture<HeldLock> writer = one.acquireAsync(patiently(one, key));
            first.release();
            assertThat(writer).isNotDone();
            second.release();
            get(writer).close();
        }

        @Test
        void aReaderIsRefusedWhileAWriterHolds() {
            LockKey key = uniqueKey();
            try (HeldLock writer = one.acquire(now(one, key))) {
                assertThat(other.tryAcquire(now(other, key).withMode(LockMode.SHARED)))
                        .isEmpty();
                assertThat(writer.isHeld()).isTrue();
            }
        }

        @Test
        void readersThatKeepComingDoNotStarveAWriter() {
            LockKey key = uniqueKey();
            LockRequest reading = now(other, key).withMode(LockMode.SHARED);
            HeldLock first = other.acquire(reading);
            CompletableFuture<HeldLock> writer = one.acquireAsync(patiently(one, key));
            List<HeldLock> readers = Collections.synchronizedList(new ArrayList<>(List.of(first)));
            // Readers overlap: there is no moment without one, until new ones are kept out for the writer.
            await().atMost(PATIENCE).until(() -> {
                Optional<HeldLock> next = other.tryAcquire(reading);
                next.ifPresent(readers::add);
                return next.isEmpty();
            });
            readers.forEach(HeldLock::release);
            get(writer).close();
        }

        @Test
        void keysThatLookAlikeDoNotMeet() {
            List<LockKey> keys = List.of(
                    LockKey.of("a"),
                    LockKey.of("a/b"),
                    LockKey.of("a", "b"),
                    LockKey.of("a:b"),
                    LockKey.of("a%3Ab"),
                    LockKey.of("{x}"),
                    LockKey.of("x"),
                    LockKey.of("x y"),
                    LockKey.of("x", "released"),
                    LockKey.of("x", "readers"),
                    LockKey.of("ä"),
                    LockKey.of("𝄞"));
            List<HeldLock> held = new ArrayList<>();
            for (LockKey key : keys) {
                held.add(one.acquire(now(one, key)));
            }
            assertThat(held).allMatch(HeldLock::isHeld);
            assertThat(keys)
                    .allSatisfy(
                            key -> assertThat(other.tryAcquire(now(other, key))).isEmpty());
            assertThat(held).allSatisfy(lock -> assertThat(lock.release()).isEqualTo(Release.RELEASED));
        }

        @Test
        void severalKeysAreAllOrNothing() {
            LockKey free = uniqueKey();
            LockKey taken = uniqueKey();
            try (HeldLock obstacle = other.acquire(now(other, taken))) {
                assertThat(one.tryAcquire(one.request(List.of(free, taken)))).isEmpty();
                assertThat(obstacle.isHeld()).isTrue();
                await().atMost(PATIENCE).untilAsserted(() -> assertFree(free));
            }
            try (HeldLock both = one.acquire(one.request(List.of(free, taken)))) {
                assertThat(both.sequencers()).hasSize(2);
                assertThat(other.tryAcquire(now(other, free))).isEmpty();
                assertThat(other.tryAcquire(now(other, taken))).isEmpty();
            }
        }
    }

    @Nested
    class Waiting {

        @Test
        void aWaiterGetsTheLockWhenItIsReleased() {
            LockKey key = uniqueKey();
            HeldLock held = one.acquire(now(one, key));
            CompletableFuture<HeldLock> waiter = other.acquireAsync(patiently(other, key));
            assertWaits(waiter);
            held.release();
            get(waiter).close();
        }

        @Test
        void aWaiterGetsTheLockAfterItsHolderHasVanished() {
            LockKey key = uniqueKey();
            LockClient doomed = newClient(newProvider());
            doomed.acquire(now(doomed, key));
            CompletableFuture<HeldLock> waiter = other.acquireAsync(patiently(other, key));
            long vanished = runtime().ticker().nanos();
            doomed.close();
            HeldLock taken = get(waiter);
            Duration after = Duration.ofNanos(runtime().ticker().nanos() - vanished);
            taken.close();
            assertThat(after)
                    .isLessThan(traits().shortLease().plus(traits().freeAfter()).plusSeconds(2));
        }

        @Test
        void waitingEndsWithItsDeadline() {
            LockKey key = uniqueKey();
            try (HeldLock held = one.acquire(now(one, key))) {
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> other.acquire(now(other, key).withWaitTime(Duration.ofMillis(300))))
                        .satisfies(
                                refused -> assertThat(refused.elapsed()).isBetween(Duration.ofMillis(300), PATIENCE));
                assertThat(held.isHeld()).isTrue();
            }
            assertFree(key);
        }

        @Test
        void aWaitThatIsCancelledLeavesNothing() {
            LockKey key = uniqueKey();
            HeldLock held = one.acquire(now(one, key));
            CompletableFuture<HeldLock> waiter = other.acquireAsync(patiently(other, key));
            assertWaits(waiter);
            waiter.cancel(true);
            held.release();
            await().atMost(PATIENCE).untilAsserted(() -> assertFree(key));
            assertThat(one.inspect(key)).isEmpty();
        }

        @Test
        void aThreadThatIsInterruptedWhileItWaitsKeepsItsFlagAndLeavesNothing() throws InterruptedException {
            LockKey key = uniqueKey();
            HeldLock held = one.acquire(now(one, key));
            Map<String, Object> seen = new ConcurrentHashMap<>();
            Thread waiter = new Thread(() -> {
                try {
                    other.acquire(patiently(other, key));
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
            HeldLock held = one.acquire(now(one, key));
            List<Integer> order = Collections.synchronizedList(new ArrayList<>());
            List<CompletableFuture<Void>> waiters = new ArrayList<>();
            for (int number = 0; number < 10; number++) {
                int own = number;
                waiters.add(other.acquireAsync(patiently(other, key)).thenAccept(lock -> {
                    order.add(own);
                    lock.close();
                }));
            }
            held.release();
            waiters.forEach(ContractFixture::get);
            assertThat(order).isSorted().hasSize(10);
        }

        @Test
        void clientsAreServedInTheirOrderIfTheStorePromisesIt() {
            LockKey key = uniqueKey();
            HeldLock held = one.acquire(now(one, key));
            List<Integer> order = Collections.synchronizedList(new ArrayList<>());
            List<CompletableFuture<Void>> waiters = new ArrayList<>();
            for (int number = 0; number < 5; number++) {
                int own = number;
                LockClient client = newClient(newProvider());
                waiters.add(client.acquireAsync(patiently(client, key)).thenAccept(lock -> {
                    order.add(own);
                    lock.close();
                }));
                int queued = number + 1;
                if (traits().fifo()) {
                    await().atMost(PATIENCE)
                            .until(() ->
                                    one.inspect(key).orElseThrow().waiters().orElseThrow() == queued);
                }
            }
            held.release();
            waiters.forEach(ContractFixture::get);
            // Without the promise, each of them is served nevertheless.
            if (traits().fifo()) {
                assertThat(order).isSorted();
            }
            assertThat(order).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
        }
    }

    @Nested
    class Leasing {

        @Test
        void theWatchdogKeepsALockBeyondItsLease() {
            LockKey key = uniqueKey();
            try (HeldLock held = one.acquire(now(one, key))) {
                CompletableFuture<Optional<HeldLock>> waiter = other.tryAcquireAsync(now(other, key)
                        .withWaitTime(traits().shortLease().multipliedBy(2).plus(traits().freeAfter())));
                assertThat(get(waiter)).isEmpty();
                assertThat(held.isHeld()).isTrue();
            }
        }

        @Test
        void withoutRenewalTheLockIsLostWithItsLeaseAndFreeForOthers() {
            LockKey key = uniqueKey();
            HeldLock held = one.acquire(now(one, key).withRenew(false));
            try (HeldLock next = other.acquire(patiently(other, key))) {
                assertThat(held.isHeld()).isFalse();
                assertThat(get(held.lost()).reason()).isEqualTo(LossReason.EXPIRED);
                assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
                assertThat(next.isHeld()).isTrue();
            }
        }

        @Test
        void aLockDelayKeepsOthersOutAfterTheHolderHasVanished() {
            LockKey key = uniqueKey();
            LockClient doomed = newClient(newProvider());
            Duration delay = Duration.ofSeconds(2);
            long granted = runtime().ticker().nanos();
            doomed.acquire(now(doomed, key).withLockDelay(delay));
            doomed.close();
            try (HeldLock next = other.acquire(patiently(other, key))) {
                Duration waited = Duration.ofNanos(runtime().ticker().nanos() - granted);
                assertThat(next.isHeld()).isTrue();
                assertThat(waited).isGreaterThanOrEqualTo(traits().shortLease().plus(delay));
            }
        }

        @Test
        void aCleanReleaseFreesAtOnceDespiteALockDelay() {
            LockKey key = uniqueKey();
            one.acquire(now(one, key).withLockDelay(Duration.ofSeconds(60))).close();
            assertFree(key);
        }

        @Test
        void aMinimumHoldTimeOutlivesTheRelease() {
            LockKey key = uniqueKey();
            Duration minimum = Duration.ofSeconds(3);
            long granted = runtime().ticker().nanos();
            HeldLock held = one.acquire(now(one, key).withMinHoldTime(minimum));
            assertThat(held.release()).isEqualTo(Release.RELEASED);
            assertThat(other.tryAcquire(now(other, key))).isEmpty();
            try (HeldLock next = other.acquire(patiently(other, key))) {
                assertThat(next.isHeld()).isTrue();
                // Stores count in milliseconds, from when the request reached them.
                assertThat(Duration.ofNanos(runtime().ticker().nanos() - granted))
                        .isGreaterThanOrEqualTo(minimum.minusMillis(2));
            }
        }

        @Test
        void aLeaseThatWasGivenBackIsNotRenewed() {
            LockKey key = uniqueKey();
            Grant grant = get(provider.acquire(leaseRequest(key, "owner-1"))).orElseThrow();
            assertThat(get(provider.release(grant.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
            CompletableFuture<Renewal> answer = new CompletableFuture<>();
            provider.renew(List.of(grant.lease()), (lease, renewal) -> answer.complete(renewal));
            assertThat(get(answer)).isEqualTo(Renewal.NOT_OWNER);
            assertFree(key);
        }

        @Test
        void eachLeaseOfABatchIsAnsweredOnItsOwn() {
            Grant kept =
                    get(provider.acquire(leaseRequest(uniqueKey(), "owner-1"))).orElseThrow();
            Grant gone =
                    get(provider.acquire(leaseRequest(uniqueKey(), "owner-2"))).orElseThrow();
            get(provider.release(gone.lease(), Duration.ZERO));
            Map<String, Renewal> answers = new ConcurrentHashMap<>();
            provider.renew(
                    List.of(kept.lease(), gone.lease()), (lease, renewal) -> answers.put(lease.owner(), renewal));
            await().atMost(PATIENCE).until(() -> answers.size() == 2);
            assertThat(answers).containsEntry("owner-1", Renewal.RENEWED).containsEntry("owner-2", Renewal.NOT_OWNER);
        }
    }

    @Nested
    class Releasing {

        @Test
        void releasingTwiceAnswersTheSame() {
            HeldLock held = one.acquire(now(one, uniqueKey()));
            assertThat(held.release()).isEqualTo(Release.RELEASED);
            assertThat(held.release()).isEqualTo(Release.RELEASED);
            assertThat(held.isHeld()).isFalse();
        }

        @Test
        void releaseDoesNotFreeALockSinceTakenByAnother() {
            LockKey key = uniqueKey();
            Grant late = get(provider.acquire(leaseRequest(key, "late-owner"))).orElseThrow();
            try (HeldLock held = other.acquire(patiently(other, key))) {
                assertThat(get(provider.release(late.lease(), Duration.ZERO))).isEqualTo(Release.NOT_OWNER);
                assertThat(held.isHeld()).isTrue();
                assertThat(one.tryAcquire(now(one, key))).isEmpty();
            }
        }

        @Test
        void oneReaderLeavingDoesNotDropAnother() {
            LockKey key = uniqueKey();
            HeldLock first = one.acquire(now(one, key).withMode(LockMode.SHARED));
            try (HeldLock second = other.acquire(now(other, key).withMode(LockMode.SHARED))) {
                assertThat(first.release()).isEqualTo(Release.RELEASED);
                assertThat(one.tryAcquire(now(one, key))).isEmpty();
                assertThat(second.isHeld()).isTrue();
            }
            assertFree(key);
        }
    }

    @Nested
    class Fencing {

        @Test
        void tokensGrowFromHolderToHolder() {
            LockKey key = uniqueKey();
            List<Long> tokens = new ArrayList<>();
            for (int round = 0; round < 10; round++) {
                LockClient client = round % 2 == 0 ? one : other;
                LockMode mode = round % 3 == 0 ? LockMode.SHARED : LockMode.EXCLUSIVE;
                try (HeldLock held = client.acquire(now(client, key).withMode(mode))) {
                    tokens.add(held.fencingToken().value());
                }
            }
            assertThat(tokens).isSorted().doesNotHaveDuplicates();
        }

        @Test
        void theTokenAfterALostLockIsLarger() {
            LockKey key = uniqueKey();
            HeldLock lost = one.acquire(now(one, key).withRenew(false));
            try (HeldLock next = other.acquire(patiently(other, key))) {
                assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
            }
        }

        @Test
        void theSameOwnerAskingAgainGetsTheSameGrant() {
            LockKey key = uniqueKey();
            Grant first = get(provider.acquire(leaseRequest(key, "same-owner"))).orElseThrow();
            Grant again = get(provider.acquire(leaseRequest(key, "same-owner"))).orElseThrow();
            assertThat(again.lease().token()).isEqualTo(first.lease().token());
            assertThat(get(provider.release(again.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
            assertFree(key);
        }

        @Test
        void aSequencerIsCurrentForAsLongAsItsGrantStands() {
            LockKey key = uniqueKey();
            HeldLock held = one.acquire(now(one, key));
            Sequencer sequencer = Sequencer.parse(held.sequencers().get(0).text());
            assertThat(other.isCurrent(sequencer)).isTrue();
            held.release();
            assertThat(other.isCurrent(sequencer)).isFalse();
            try (HeldLock next = one.acquire(now(one, key))) {
                assertThat(other.isCurrent(sequencer)).isFalse();
                assertThat(other.isCurrent(next.sequencers().get(0))).isTrue();
            }
        }

        @Test
        void aReadersSequencerIsCurrent() {
            LockKey key = uniqueKey();
            HeldLock reader = one.acquire(now(one, key).withMode(LockMode.SHARED));
            assertThat(other.isCurrent(reader.sequencers().get(0))).isTrue();
            reader.release();
            assertThat(other.isCurrent(reader.sequencers().get(0))).isFalse();
        }
    }

    @Nested
    class Telling {

        @Test
        void inspectionTellsWhoHolds() {
            LockKey key = uniqueKey();
            assertThat(other.inspect(key)).isEmpty();
            try (HeldLock held = one.acquire(now(one, key))) {
                assertThat(other.inspect(key)).hasValueSatisfying(status -> {
                    assertThat(status.mode()).isEqualTo(LockMode.EXCLUSIVE);
                    assertThat(status.holders()).singleElement().satisfies(holder -> {
                        assertThat(holder.token()).contains(held.fencingToken());
                        assertThat(holder.remaining().orElseThrow()).isPositive();
                    });
                });
            }
            assertThat(other.inspect(key)).isEmpty();
        }

        @Test
        void inspectionTellsOfAllReaders() {
            LockKey key = uniqueKey();
            try (HeldLock reader = one.acquire(now(one, key).withMode(LockMode.SHARED));
                    HeldLock second = other.acquire(now(other, key).withMode(LockMode.SHARED))) {
                assertThat(reader.isHeld() && second.isHeld()).isTrue();
                assertThat(other.inspect(key)).hasValueSatisfying(status -> {
                    assertThat(status.mode()).isEqualTo(LockMode.SHARED);
                    assertThat(status.holders()).hasSize(2);
                });
            }
        }

        @Test
        void aStoreThatWorksIsUp() {
            assertThat(get(provider.check()).state()).isEqualTo(ProviderStatus.State.UP);
        }

        @Test
        void aClosedProviderRefusesClearly() {
            LockClient client = newClient(provider);
            client.close();
            assertThatThrownBy(() -> client.acquire(now(client, uniqueKey()))).hasMessageContaining("closed");
        }
    }
}
