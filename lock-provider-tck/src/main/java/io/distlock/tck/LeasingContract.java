package io.distlock.tck;

import static io.distlock.tck.ContractFixture.PATIENCE;
import static io.distlock.tck.ContractFixture.assertExpired;
import static io.distlock.tck.ContractFixture.assertRefused;
import static io.distlock.tck.ContractFixture.get;
import static io.distlock.tck.ContractFixture.now;
import static io.distlock.tck.ContractFixture.patiently;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** A lease lasts as long as requested or renewed, and no longer. */
abstract class LeasingContract extends ContractPart {

    /** Longer than any stall of this machine. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    LeasingContract(ContractFixture fixture) {
        super(fixture);
    }

    @Test
    void theWatchdogKeepsALockBeyondItsLease() {
        LockKey key = uniqueKey();
        // Long enough not to be lost while the machine stalls.
        Duration lease = Duration.ofSeconds(15);
        try (HeldLock held = one().acquire(patiently(one(), key).withLeaseTime(lease))) {
            awaitKeptBeyond(lease, key, runtime().ticker().nanos());
            assertThat(held.isHeld()).isTrue();
            assertRefused(other(), now(other(), key));
        }
    }

    @Test
    void withoutRenewalTheLockIsLostWithItsLeaseAndFreeForOthers() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(briefly(patiently(one(), key)).withRenew(false));
        try (HeldLock next = other().acquire(patiently(other(), key))) {
            assertThat(held.isHeld()).isFalse();
            assertExpired(held);
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
        doomed.acquire(briefly(patiently(doomed, key)).withLockDelay(delay));
        doomed.close();
        try (HeldLock next = other().acquire(patiently(other(), key))) {
            Duration waited = Duration.ofNanos(runtime().ticker().nanos() - granted);
            assertThat(next.isHeld()).isTrue();
            assertThat(waited).isGreaterThanOrEqualTo(traits().shortLease().plus(delay));
        }
    }

    @Test
    void aLockDelayIsPartOfTheGrant() {
        LockKey key = uniqueKey();
        delayed(key);
        assertThat(remaining(key)).isGreaterThan(LEASE.plusSeconds(5));
    }

    @Test
    void aLockDelayIsPartOfEachRenewal() {
        LockKey key = uniqueKey();
        Grant grant = delayed(key);
        Duration before = remaining(key);
        await().atMost(PATIENCE).until(() -> remaining(key).compareTo(before.minusSeconds(1)) < 0);
        Duration least = remaining(key);
        await().atMost(PATIENCE).until(() -> {
            provider().renew(List.of(grant.lease()), (lease, renewal) -> {});
            return remaining(key).compareTo(least.plusMillis(500)) > 0;
        });
    }

    private Grant delayed(LockKey key) {
        var options = one().options().withLeaseTime(LEASE).withLockDelay(Duration.ofSeconds(30));
        return get(provider().acquire(leaseRequest(key, "owner-1", options))).orElseThrow();
    }

    @Test
    void aCleanReleaseFreesAtOnceDespiteALockDelay() {
        LockKey key = uniqueKey();
        one().acquire(patiently(one(), key).withLockDelay(Duration.ofSeconds(60)))
                .close();
        assertFree(key);
    }

    @Test
    void aMinimumHoldTimeOutlivesTheRelease() {
        LockKey key = uniqueKey();
        Duration minimum = Duration.ofSeconds(3);
        long granted = runtime().ticker().nanos();
        HeldLock held = one().acquire(patiently(one(), key).withMinHoldTime(minimum));
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        try (HeldLock next = other().acquire(patiently(other(), key))) {
            assertThat(next.isHeld()).isTrue();
            // Stores count in milliseconds, from when the request reached them.
            assertThat(Duration.ofNanos(runtime().ticker().nanos() - granted))
                    .isGreaterThanOrEqualTo(minimum.minusMillis(2));
        }
    }

    @Test
    void aLeaseThatWasGivenBackIsNotRenewed() {
        LockKey key = uniqueKey();
        Grant grant = get(provider().acquire(leaseRequest(key, "owner-1"))).orElseThrow();
        assertThat(get(provider().release(grant.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
        CompletableFuture<Renewal> answer = new CompletableFuture<>();
        provider().renew(List.of(grant.lease()), (lease, renewal) -> answer.complete(renewal));
        assertThat(get(answer)).isEqualTo(Renewal.NOT_OWNER);
        assertFree(key);
    }

    @Test
    void anExtensionLengthensALeaseThatIsNotRenewed() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key).withLeaseTime(LEASE).withRenew(false));
        await().atMost(PATIENCE).until(() -> held.remaining().compareTo(LEASE.minusSeconds(2)) < 0);
        Duration before = held.remaining();
        assertThat(held.extend(LEASE)).isGreaterThan(before);
        // Stores may count in whole seconds.
        assertThat(remaining(key).plusSeconds(1)).isGreaterThan(held.remaining());
        assertThat(one().isCurrent(held.sequencers().get(0))).isTrue();
        held.close();
        assertFree(key);
    }

    @Test
    void anExtensionNeverShortensALease() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key).withLeaseTime(LEASE).withRenew(false));
        held.extend(LockOptions.MIN_LEASE);
        assertThat(held.remaining()).isGreaterThan(LockOptions.MIN_LEASE);
        // A store that does not tell how long it keeps the key keeps it nevertheless.
        await().pollDelay(LockOptions.MIN_LEASE.multipliedBy(10))
                .atMost(PATIENCE)
                .until(() -> true);
        assertRefused(other(), now(other(), key));
        assertThat(remaining(key).plusSeconds(1)).isGreaterThan(held.remaining());
        held.close();
    }

    /** By the store, since the holder may end after its release. */
    @Test
    void theMinimumHoldTimeOfAnExtensionIsKeptAfterTheReleaseAndNoLonger() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key).withLeaseTime(LEASE).withRenew(false));
        held.extend(LEASE, LEASE.dividedBy(2));
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        // Stores may count in whole seconds, and keep it for two of them longer.
        assertThat(remaining(key))
                .isBetween(Duration.ofMillis(1), LEASE.dividedBy(2).plusSeconds(2));
    }

    /** Those whose leases share a session in the store, which the driver may keep alive by itself, must end it in time. */
    @Test
    void aLeaseThatIsNoLongerRenewedEndsWhileOthersAreRenewed() {
        LockKey key = uniqueKey();
        var options = one().options().withLeaseTime(traits().shortLease());
        Grant renewed = get(provider().acquire(leaseRequest(uniqueKey(), "renewed", options)))
                .orElseThrow();
        assertThat(get(provider().acquire(leaseRequest(key, "abandoned", options))))
                .isPresent();
        await().atMost(PATIENCE).ignoreException(LockUnavailableException.class).until(() -> {
            provider().renew(List.of(renewed.lease()), (lease, renewal) -> {});
            return other().tryAcquire(now(other(), key)).isPresent();
        });
    }

    @Test
    void aLeaseThatIsGoneIsNotExtended() {
        LockKey key = uniqueKey();
        Grant gone = get(provider().acquire(leaseRequest(key, "owner-1"))).orElseThrow();
        get(provider().release(gone.lease(), Duration.ZERO));
        try (HeldLock next = other().acquire(patiently(other(), key))) {
            CompletableFuture<Renewal> answer = new CompletableFuture<>();
            provider().extend(gone.lease(), Duration.ofSeconds(1), (lease, renewal) -> answer.complete(renewal));
            assertThat(get(answer)).isEqualTo(Renewal.NOT_OWNER);
            assertThat(next.isHeld()).isTrue();
        }
        assertFree(key);
    }

    @Test
    void eachLeaseOfABatchIsAnsweredOnItsOwn() {
        Grant kept =
                get(provider().acquire(leaseRequest(uniqueKey(), "owner-1"))).orElseThrow();
        Grant gone =
                get(provider().acquire(leaseRequest(uniqueKey(), "owner-2"))).orElseThrow();
        get(provider().release(gone.lease(), Duration.ZERO));
        Map<String, Renewal> answers = new ConcurrentHashMap<>();
        provider().renew(List.of(kept.lease(), gone.lease()), (lease, renewal) -> answers.put(lease.owner(), renewal));
        await().atMost(PATIENCE).until(() -> answers.size() == 2);
        assertThat(answers).containsEntry("owner-1", Renewal.RENEWED).containsEntry("owner-2", Renewal.NOT_OWNER);
    }
}
