package io.distlock.etcd.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockOptions;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.ManualTimeProvider;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdExtension;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that takes leases away from clients that extend them, as a leader does that was frozen and thaws. */
class EtcdRevokedLeaseTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("revoked");

    /** So long that no renewal would tell of the loss. */
    private static final Duration LEASE = Duration.ofMinutes(2);

    private static final Duration GRACE = Duration.ofSeconds(1);

    private static TestClient client() {
        return TestClient.of(etcd.server().endpoint(), LocalEtcd.PATIENT, LEASE);
    }

    /** For the one who waits, the second of grace does not pass: it begins with the loss, not when the holder knows. */
    @Test
    void theHolderIsToldByItsWatchAndOneWhoWaitsHasTheLockAfterwards() {
        try (TestClient holder = client();
                ManualTimeProvider next = new ManualTimeProvider(etcd.server().endpoint())) {
            HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
            var waiter = next.parked(KEY, LockOptions.defaults().withLeaseTime(LEASE));
            etcd.probe().leases().forEach(etcd.probe()::revoke);
            next.awaitFailures(1);
            assertThat(TestClient.get(held.lost()).reason()).isEqualTo(LockLoss.Reason.NOT_OWNER);
            assertThat(waiter).isNotDone();
            next.advance(GRACE);
            assertThat(next.get(waiter)).isPresent();
        }
    }

    @Test
    void aLockIsLostAsSoonAsItsKeyIsDeletedByHand() {
        try (TestClient client = client()) {
            HeldLock held = client.locks.acquire(client.locks.request(KEY));
            HeldLock other = client.locks.acquire(client.locks.request("other"));
            etcd.probe().deleteAll("lock/revoked/");
            assertThat(TestClient.get(held.lost()).reason()).isEqualTo(LockLoss.Reason.NOT_OWNER);
            assertThat(other.isHeld()).isTrue();
        }
    }
}
