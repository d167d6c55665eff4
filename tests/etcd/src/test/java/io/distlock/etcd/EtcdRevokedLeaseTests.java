package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.test.etcd.EtcdExtension;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that takes leases away from clients that extend them, as a leader does that was frozen and thaws. */
class EtcdRevokedLeaseTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("revoked");

    /** So long that no renewal would tell of the loss. */
    private static final Duration LEASE = Duration.ofMinutes(2);

    private static TestClient client() {
        return TestClient.of(etcd.server().endpoint(), LocalEtcd.PATIENT, LEASE);
    }

    /** Whether the holder still believed to hold it when another was granted it. */
    private static CompletableFuture<Boolean> heldTwice(HeldLock held, TestClient next) {
        return next.locks
                .acquireAsync(next.locks.request(KEY).withWaitTime(TestClient.PATIENCE))
                .thenApply(granted -> held.isHeld());
    }

    @Test
    void theHolderKnowsBeforeOneWhoWaitsHasTheLock() {
        try (TestClient holder = client();
                TestClient next = client()) {
            HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
            Set<Long> leases = etcd.probe().leases();
            CompletableFuture<Boolean> heldTwice = heldTwice(held, next);
            await().atMost(TestClient.PATIENCE).until(() -> next.waiters(KEY) == 1);
            leases.forEach(etcd.probe()::revoke);
            assertThat(TestClient.get(held.lost()).reason()).isEqualTo(LockLoss.Reason.NOT_OWNER);
            assertThat(TestClient.get(heldTwice)).isFalse();
        }
    }

    @Test
    void alsoIfThoseWhoWaitLoseTheirLeases() {
        try (TestClient holder = client();
                TestClient next = client()) {
            HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
            CompletableFuture<Boolean> heldTwice = heldTwice(held, next);
            await().atMost(TestClient.PATIENCE).until(() -> next.waiters(KEY) == 1);
            etcd.probe().leases().forEach(etcd.probe()::revoke);
            assertThat(TestClient.get(heldTwice)).isFalse();
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
