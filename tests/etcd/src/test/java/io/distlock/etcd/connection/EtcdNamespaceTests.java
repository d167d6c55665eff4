package io.distlock.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdServers;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdExtension;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A namespace that ends with what locks' keys begin with. */
class EtcdNamespaceTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final String NAMESPACE = "team-lock/";
    private static final LockKey KEY = LockKey.of("one");

    private static TestClient client() {
        EtcdServers servers = EtcdServers.at(List.of(etcd.server().uri())).withNamespace(NAMESPACE);
        return TestClient.of(EtcdConnection.to(servers, LocalEtcd.PATIENT), LocalEtcd.PATIENT, Duration.ofMinutes(2));
    }

    @Test
    void allKeysAreInItAndLocksAreHandedOver() {
        try (TestClient client = client();
                TestClient other = client()) {
            HeldLock held = client.locks.acquire(client.locks.request(KEY));
            var waiter = other.locks.acquireAsync(other.locks.request(KEY).withWaitTime(TestClient.PATIENCE));
            await().atMost(TestClient.PATIENCE).until(() -> client.waiters(KEY) == 1);
            // A place and a session of each.
            assertThat(etcd.probe().keys("")).hasSize(4).allMatch(key -> key.startsWith(NAMESPACE + "lock/"));
            held.release();
            TestClient.get(waiter).close();
        }
    }

    @Test
    void theLossOfALockInItIsTold() {
        try (TestClient client = client()) {
            HeldLock held = client.locks.acquire(client.locks.request(KEY));
            etcd.probe().deleteAll(NAMESPACE + "lock/one/");
            assertThat(TestClient.get(held.lost()).reason()).isEqualTo(LockLoss.Reason.NOT_OWNER);
        }
    }
}
