package io.distlock.tck;

import static io.distlock.tck.ContractFixture.PATIENCE;
import static io.distlock.tck.ContractFixture.assertRefused;
import static io.distlock.tck.ContractFixture.now;
import static io.distlock.tck.ContractFixture.patiently;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Forced releases, which take a lock away from its holder. */
abstract class ForcedReleaseContract extends ContractPart {

    ForcedReleaseContract(ContractFixture fixture) {
        super(fixture);
    }

    @Test
    void aLockIsTakenAwayByItsToken() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key).withLeaseTime(Duration.ofSeconds(15)));
        CompletableFuture<HeldLock> next = other().acquireAsync(patiently(other(), key));
        assertThat(other().forceRelease(key, held.fencingToken())).isEqualTo(Release.RELEASED);
        // Woken by the release, or by its turn; with a larger token.
        assertThat(ContractFixture.get(next).fencingToken()).isGreaterThan(held.fencingToken());
        // At its next renewal, or the one after it.
        await().atMost(PATIENCE).until(() -> !held.isHeld());
    }

    @Test
    void aHolderInTheSameClientIsToldFirst() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key));
        one().forceRelease(key, held.fencingToken());
        assertThat(held.isHeld()).isFalse();
        assertFree(key);
    }

    @Test
    void byAnotherTokenNothingIsTakenAway() {
        LockKey key = uniqueKey();
        try (HeldLock held = one().acquire(patiently(one(), key))) {
            FencingToken another = new FencingToken(held.fencingToken().value() + 1);
            assertThat(other().forceRelease(key, another)).isEqualTo(Release.NOT_OWNER);
            assertThat(one().isCurrent(held.sequencers().get(0))).isTrue();
        }
    }

    @Test
    void whereNobodyHoldsNothingIsTakenAway() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key));
        held.release();
        assertThat(other().forceRelease(key, held.fencingToken())).isEqualTo(Release.NOT_OWNER);
    }

    @Test
    void aMinimumHoldTimeIsNobodysToTakeAway() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key).withMinHoldTime(Duration.ofSeconds(20)));
        held.release();
        assertThat(other().forceRelease(key, held.fencingToken())).isEqualTo(Release.NOT_OWNER);
        assertRefused(one(), now(one(), key));
    }

    @Test
    void oneReaderIsTakenAwayAndTheOtherStays() {
        needsSharedMode();
        LockKey key = uniqueKey();
        HeldLock reader = one().acquire(patiently(one(), key).withMode(LockMode.SHARED));
        try (HeldLock second = other().acquire(patiently(other(), key).withMode(LockMode.SHARED))) {
            assertThat(one().forceRelease(key, reader.fencingToken())).isEqualTo(Release.RELEASED);
            assertThat(other().isCurrent(second.sequencers().get(0))).isTrue();
            assertThat(other().inspect(key).orElseThrow().holders()).hasSize(1);
        }
    }
}
