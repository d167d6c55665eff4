package io.distlock.tck;

import static io.distlock.tck.ContractFixture.assertRefused;
import static io.distlock.tck.ContractFixture.get;
import static io.distlock.tck.ContractFixture.now;
import static io.distlock.tck.ContractFixture.patiently;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.spi.Grant;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** An owner can release only its own lock. */
abstract class ReleasingContract extends ContractPart {

    ReleasingContract(ContractFixture fixture) {
        super(fixture);
    }

    @Test
    void releasingTwiceAnswersTheSame() {
        HeldLock held = one().acquire(patiently(one(), uniqueKey()));
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void releaseDoesNotFreeALockSinceTakenByAnother() {
        LockKey key = uniqueKey();
        Grant late = get(provider()
                        .acquire(leaseRequest(key, "late-owner", one().options().withLeaseTime(traits().shortLease()))))
                .orElseThrow();
        try (HeldLock held = other().acquire(patiently(other(), key))) {
            assertThat(get(provider().release(late.lease(), Duration.ZERO))).isEqualTo(Release.NOT_OWNER);
            assertThat(held.isHeld()).isTrue();
            assertRefused(one(), now(one(), key));
        }
    }

    @Test
    void oneReaderLeavingDoesNotDropAnother() {
        needsSharedMode();
        LockKey key = uniqueKey();
        HeldLock first = one().acquire(patiently(one(), key).withMode(LockMode.SHARED));
        try (HeldLock second = other().acquire(patiently(other(), key).withMode(LockMode.SHARED))) {
            assertThat(first.release()).isEqualTo(Release.RELEASED);
            assertRefused(one(), now(one(), key));
            assertThat(second.isHeld()).isTrue();
        }
        assertFree(key);
    }
}
