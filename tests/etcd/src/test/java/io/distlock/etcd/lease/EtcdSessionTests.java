package io.distlock.etcd.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The lease of etcd that locks hang on. */
class EtcdSessionTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("session");
    private static final Duration SHORT = Duration.ofSeconds(2);

    /** Extended every four seconds, and not lost because the machine stands still for once. */
    private static final Duration MODERATE = Duration.ofSeconds(16);

    private static TestClient client(Duration leaseTime) {
        return TestClient.of(etcd.server().endpoint(), LocalEtcd.PATIENT, leaseTime);
    }

    private static long onlyLease() {
        Set<Long> leases = etcd.probe().leases();
        assertThat(leases).hasSize(1);
        return leases.iterator().next();
    }

    private static long grantedLeases() {
        return etcd.probe().rpcs().started("LeaseGrant");
    }

    @Test
    void locksOfOneTimeToLiveShareASession() {
        try (TestClient client = client(Duration.ofSeconds(30));
                HeldLock one = client.locks.acquire(client.locks.request("one"));
                HeldLock other = client.locks.acquire(client.locks.request("other"))) {
            assertThat(one.isHeld() && other.isHeld()).isTrue();
            assertThat(etcd.probe().lease(onlyLease()).orElseThrow().keys())
                    .filteredOn(key -> !key.startsWith("lock//"))
                    .hasSize(2);
        }
    }

    @Test
    void allLocksOfASessionThatIsLostAreLost() {
        try (TestClient client = client(MODERATE)) {
            HeldLock one = client.locks.acquire(client.locks.request("one"));
            HeldLock other = client.locks.acquire(client.locks.request("other"));
            etcd.probe().revoke(onlyLease());
            assertThat(TestClient.get(one.lost()).reason()).isEqualTo(LockLoss.Reason.NOT_OWNER);
            assertThat(TestClient.get(other.lost()).reason()).isEqualTo(LockLoss.Reason.NOT_OWNER);
            client.locks
                    .acquire(client.locks.request("one").withWaitTime(TestClient.PATIENCE))
                    .close();
        }
    }

    @Test
    void oneWhoWaitsTakesANewPlaceWhenItsSessionIsLost() {
        try (TestClient holder = client(Duration.ofSeconds(30));
                TestClient client = client(MODERATE)) {
            HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
            long holders = onlyLease();
            var waiter = client.locks.acquireAsync(client.locks.request(KEY).withWaitTime(TestClient.PATIENCE));
            await().atMost(TestClient.PATIENCE).until(() -> holder.waiters(KEY) == 1);
            etcd.probe().leases().stream().filter(lease -> lease != holders).forEach(etcd.probe()::revoke);
            await().atMost(TestClient.PATIENCE).until(() -> holder.waiters(KEY) == 1);
            held.release();
            TestClient.get(waiter).close();
        }
    }

    @Test
    void aSessionThatNobodyUsesIsGivenUp() {
        try (TestClient client = client(SHORT)) {
            long before = grantedLeases();
            client.locks.acquire(client.locks.request(KEY)).release();
            assertThat(grantedLeases()).isEqualTo(before + 1);
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe().leases().isEmpty());
            client.locks.acquire(client.locks.request(KEY)).release();
            assertThat(grantedLeases()).isEqualTo(before + 2);
        }
    }

    @Test
    void aLockThatNobodyExtendsGoesThoughItsSessionStays() {
        try (TestClient client = client(MODERATE);
                HeldLock other = client.locks.acquire(client.locks.request("other"))) {
            // A lock-delay keeps the engine from deleting it.
            HeldLock held = client.locks.acquire(client.locks
                    .request(KEY)
                    .withRenew(false)
                    .withWaitTime(TestClient.PATIENCE)
                    .withLeaseTime(Duration.ofSeconds(1))
                    .withLockDelay(Duration.ofSeconds(1)));
            // By its own clock; or told by etcd, where a process that stood still hears of it first.
            assertThat(TestClient.get(held.lost()).reason()).isIn(LockLoss.Reason.EXPIRED, LockLoss.Reason.NOT_OWNER);
            client.locks
                    .acquire(client.locks.request(KEY).withWaitTime(TestClient.PATIENCE))
                    .close();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void aSessionOfALockWithALongMinimumHoldTimeEndsWithIt() {
        LockOptions longer = LockOptions.defaults().withLeaseTime(MODERATE).withMinHoldTime(MODERATE.plusSeconds(4));
        try (TestClient client = client(MODERATE)) {
            HeldLock one = client.locks.acquire(client.locks.request("one").withOptions(longer));
            HeldLock other = client.locks.acquire(client.locks.request("other").withOptions(longer));
            assertThat(etcd.probe().leases()).hasSize(2);
            assertThat(one.release()).isEqualTo(Release.RELEASED);
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe().leases().size() == 1);
            long session = onlyLease();
            LocalEtcd.awaitExtended(
                    () -> etcd.probe().lease(session).orElseThrow().remaining());
            assertThat(other.isHeld()).isTrue();
            other.release();
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe().leases().isEmpty());
        }
    }

    @Test
    void aMinimumHoldTimeOutlivesTheProcess() {
        LockOptions daily = LockOptions.defaults().withWaitTime(Duration.ZERO).withMinHoldTime(Duration.ofMinutes(10));
        try (TestClient other = client(SHORT)) {
            try (TestClient client = client(SHORT)) {
                client.locks
                        .acquire(client.locks.request(KEY).withOptions(daily))
                        .close();
            }
            assertThat(other.locks.tryAcquire(other.locks.request(KEY).withMode(LockMode.SHARED)))
                    .isEmpty();
            assertThat(other.locks.inspect(KEY)).hasValueSatisfying(status -> {
                assertThat(status.holders()).singleElement().satisfies(kept -> {
                    assertThat(kept.owner()).isEqualTo("kept");
                    assertThat(kept.remaining().orElseThrow()).isGreaterThan(Duration.ofMinutes(9));
                });
            });
        }
    }

    @Test
    void aSessionIsGivenUpAfterAReleaseOfUnknownOutcomeWithAMinimumHoldTime() {
        try (FaultProxy proxy =
                        FaultProxy.to(etcd.server().host(), etcd.server().port());
                TestClient client = TestClient.of(
                        etcd.server().endpoint().withPort(proxy.port()), EtcdLockOptions.defaults(), MODERATE)) {
            HeldLock held = client.locks.acquire(
                    client.locks.request(KEY).withWaitTime(TestClient.PATIENCE).withMinHoldTime(Duration.ofSeconds(5)));
            proxy.freeze();
            assertThat(held.release()).isEqualTo(Release.UNKNOWN);
            proxy.thaw();
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe().leases().isEmpty());
        }
    }

    /** The lock-delay is over when the session is, and etcd looks for sessions that are over twice a second. */
    @Test
    void aLockWhoseHolderDiesIsFreeSoonAfterItsTimeAndLockDelay() {
        Duration lockDelay = Duration.ofSeconds(1);
        try (TestClient doomed = client(SHORT);
                TestClient next = client(SHORT)) {
            doomed.locks.acquire(doomed.locks.request(KEY).withLockDelay(lockDelay));
            var waiter = next.locks.acquireAsync(next.locks.request(KEY).withWaitTime(TestClient.PATIENCE));
            await().atMost(TestClient.PATIENCE).until(() -> next.waiters(KEY) == 1);
            doomed.connection.close();
            long died = next.runtime.ticker().nanos();
            TestClient.get(waiter).close();
            Duration after = Duration.ofNanos(next.runtime.ticker().nanos() - died);
            // A second and a half by promise; the rest for a machine that has other things to do.
            assertThat(after).isLessThan(SHORT.plus(lockDelay).plusMillis(1500).plusSeconds(30));
        }
    }
}
