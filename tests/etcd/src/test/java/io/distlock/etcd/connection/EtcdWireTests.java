package io.distlock.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.ManualTimeProvider;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Grant;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What goes over the wire, by the server's own count. */
class EtcdWireTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("orders", "42");

    @Test
    void anUncontendedLockCostsTwoTransactionsAndNothingElse() {
        try (ManualTimeProvider client = new ManualTimeProvider(etcd.server().endpoint())) {
            acquireAndRelease(client, LockMode.EXCLUSIVE);
            EtcdRpcs before = etcd.probe().rpcs();
            int rounds = 20;
            for (int round = 0; round < rounds; round++) {
                acquireAndRelease(client, round % 2 == 0 ? LockMode.EXCLUSIVE : LockMode.SHARED);
            }
            EtcdRpcs cost = etcd.probe().rpcs().since(before);
            assertThat(cost.started("Txn")).isEqualTo(2L * rounds);
            assertThat(cost.total()).isEqualTo(2L * rounds);
        }
    }

    private static void acquireAndRelease(ManualTimeProvider client, LockMode mode) {
        Grant grant = TestClient.get(client.acquire(KEY, mode, LockOptions.defaults()))
                .orElseThrow();
        TestClient.get(client.provider.release(grant.lease(), Duration.ZERO));
    }

    @Test
    void aHeldLockIsOneReadableKeyOnTheSession() {
        try (TestClient client = TestClient.of(etcd.server().endpoint());
                HeldLock held = client.locks.acquire(client.locks.request(KEY))) {
            assertThat(etcd.probe().entries("lock/orders:42/")).singleElement().satisfies(entry -> {
                assertThat(entry.key()).matches("lock/orders:42/[0-9a-f]{16}-[0-9a-f]{32}");
                assertThat(entry.key()).contains(Long.toHexString(entry.lease()));
                assertThat(entry.value()).startsWith("exclusive, process ");
                assertThat(entry.createRevision()).isEqualTo(held.fencingToken().value());
            });
        }
    }

    @Test
    void anAttemptThatIsRefusedLeavesNoKey() {
        try (TestClient client = TestClient.of(etcd.server().endpoint());
                TestClient other = TestClient.of(etcd.server().endpoint());
                HeldLock held = client.locks.acquire(client.locks.request(KEY))) {
            assertThat(other.locks.tryAcquire(other.locks.request(KEY))).isEmpty();
            assertThat(etcd.probe().keys("lock/orders:42/")).hasSize(1);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void manyLocksAreKeptByFewCalls() {
        try (TestClient client = TestClient.of(etcd.server().endpoint(), LocalEtcd.PATIENT, Duration.ofSeconds(8))) {
            List<HeldLock> held = new ArrayList<>();
            for (int number = 0; number < 200; number++) {
                held.add(client.locks.acquire(client.locks.request(LockKey.of("many", "" + number))));
            }
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe().watches().watchers() == held.size());
            EtcdRpcs before = etcd.probe().rpcs();
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe().rpcs().since(before).started("LeaseKeepAlive") >= 3);
            EtcdRpcs cost = etcd.probe().rpcs().since(before);
            assertThat(held).allMatch(HeldLock::isHeld);
            // And not one for each.
            assertThat(cost.started("LeaseKeepAlive")).isLessThan(held.size() / 10);
            // The driver sends each keepalive twice, the second time as it ends the stream. Some are yet to be looked
            // at, once.
            assertThat(cost.total() - cost.started("Txn"))
                    .isLessThanOrEqualTo(3 * (1 + cost.started("LeaseKeepAlive")));
            assertThat(cost.started("Txn")).isLessThanOrEqualTo(held.size());
            assertThat(etcd.probe().leases()).hasSize(1);
            held.forEach(HeldLock::release);
        }
    }

    @Test
    void namesThatArePrefixesOfEachOtherNeverMeet() {
        List<LockKey> keys =
                List.of(LockKey.of("a"), LockKey.of("a/b"), LockKey.of("a", "b"), LockKey.of("a/"), LockKey.of("ab"));
        try (TestClient client = TestClient.of(etcd.server().endpoint())) {
            List<HeldLock> held = keys.stream()
                    .map(key -> client.locks.acquire(client.locks.request(key)))
                    .toList();
            for (LockKey key : keys) {
                assertThat(client.locks.inspect(key).orElseThrow()).satisfies(status -> {
                    assertThat(status.holders()).hasSize(1);
                    assertThat(status.waiters()).hasValue(0);
                });
            }
            held.get(0).release();
            assertThat(held.stream().skip(1)).allMatch(HeldLock::isHeld);
            assertThat(etcd.probe().keys("lock/"))
                    .filteredOn(key -> !key.startsWith("lock//"))
                    .hasSize(keys.size() - 1);
        }
    }

    @Test
    void aSessionHasAKeyThatGoesWithIt() {
        try (TestClient client = TestClient.of(etcd.server().endpoint())) {
            client.locks.acquire(client.locks.request(KEY)).close();
            assertThat(etcd.probe().entries("")).singleElement().satisfies(entry -> {
                assertThat(entry.key()).isEqualTo("lock//%016x".formatted(entry.lease()));
                assertThat(entry.value()).isEqualTo("session");
            });
        }
        // Waiters may still look for it, so a close leaves it for a moment.
        await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().keys("").isEmpty());
    }
}
