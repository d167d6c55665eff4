package io.distlock.etcd.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** From when on a lease is believed in, while the server's answers are late. */
class EtcdValidityTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final Duration LATE = Duration.ofSeconds(1);

    private FaultProxy proxy;

    @BeforeEach
    void open() {
        proxy = FaultProxy.to(etcd.server().host(), etcd.server().port());
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    private TestClient client(Duration leaseTime) {
        return TestClient.of(etcd.server().endpoint().withPort(proxy.port()), LocalEtcd.PATIENT, leaseTime);
    }

    /** The session was granted by one request, and the lock by another. */
    @Test
    void aGrantCountsFromWhenTheSessionWasAskedForAndNotFromTheAnswer() {
        Duration lease = Duration.ofSeconds(60);
        try (TestClient client = client(lease)) {
            proxy.delayReplies(LATE);
            HeldLock held = client.locks.acquire(client.locks.request("late").withWaitTime(TestClient.PATIENCE));
            assertThat(held.remaining()).isPositive().isLessThanOrEqualTo(lease.minus(LATE.multipliedBy(2)));
        }
    }

    @Test
    void aRenewalCountsFromWhenItWasAskedForAndNotFromTheAnswer() {
        Duration lease = Duration.ofSeconds(15);
        try (TestClient client = client(lease)) {
            HeldLock held = client.locks.acquire(client.locks.request("late").withWaitTime(TestClient.PATIENCE));
            proxy.delayReplies(LATE);
            Duration[] last = {held.remaining()};
            await().atMost(TestClient.PATIENCE)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> {
                        Duration before = last[0];
                        last[0] = held.remaining();
                        return last[0].compareTo(before) > 0;
                    });
            assertThat(last[0]).isLessThanOrEqualTo(lease.minus(LATE));
        }
    }

    /** Nobody extends it later, so that it has to have its whole lease from the start. */
    @Test
    void aLockThatIsNotRenewedHasItsWholeLeaseThoughItsSessionIsPartWayThrough() {
        Duration lease = Duration.ofSeconds(60);
        try (TestClient client = client(lease)) {
            client.locks.acquire(client.locks.request("other"));
            long session = etcd.probe().leases().iterator().next();
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe()
                                    .lease(session)
                                    .orElseThrow()
                                    .remaining()
                                    .compareTo(lease.minusSeconds(10))
                            < 0);
            HeldLock held = client.locks.acquire(client.locks.request("once").withRenew(false));
            assertThat(held.remaining()).isGreaterThan(lease.minusSeconds(8));
        }
    }
}
