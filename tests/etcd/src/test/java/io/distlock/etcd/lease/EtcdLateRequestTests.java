package io.distlock.etcd.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdEndpoint;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests whose answers nobody got, on a session that another lock keeps alive. */
class EtcdLateRequestTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final Duration LEASE = Duration.ofMinutes(2);
    private static final int MANY = 20;

    private final FaultProxy silent = proxy();
    private final FaultProxy other = proxy();
    private TestClient client;
    private HeldLock keepsTheSessionAlive;

    private static FaultProxy proxy() {
        return FaultProxy.to(etcd.server().host(), etcd.server().port());
    }

    @BeforeEach
    void open() {
        List<EtcdEndpoint> both = List.of(silent, other).stream()
                .map(proxy -> etcd.server().endpoint().withPort(proxy.port()))
                .toList();
        EtcdLockOptions options = EtcdLockOptions.defaults();
        client = TestClient.of(LocalEtcd.connection(both, options), options, LEASE);
        keepsTheSessionAlive =
                client.locks.acquire(client.locks.request("other").withWaitTime(TestClient.PATIENCE));
        await().atMost(TestClient.PATIENCE).until(() -> silent.connections() > 0 && other.connections() > 0);
    }

    @AfterEach
    void close() {
        silent.pass();
        client.close();
        silent.close();
        other.close();
    }

    private void assertNobodyQueues() {
        assertThat(etcd.probe().keys("lock/late")).isEmpty();
        assertThat(keepsTheSessionAlive.isHeld()).isTrue();
    }

    @Test
    void aPlaceThatWasTakenByARequestWithoutAnAnswerGoes() {
        silent.dropReplies();
        other.dropReplies();
        List<LockKey> keys = IntStream.range(0, MANY)
                .mapToObj(number -> LockKey.of("late", "" + number))
                .toList();
        var tries = keys.stream()
                .map(key -> client.locks.acquireAsync(client.locks.request(key)))
                .toList();
        await().atMost(TestClient.PATIENCE)
                .until(() -> etcd.probe().keys("lock/late").size() > 0);
        tries.forEach(each -> assertThat(each)
                .failsWithin(TestClient.PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(LockUnavailableException.class));
        silent.pass();
        other.pass();
        await().atMost(TestClient.PATIENCE)
                .until(() -> etcd.probe().keys("lock/late").isEmpty());
        assertNobodyQueues();
    }

    /** Every second request goes by a connection that holds it back, until the client has withdrawn it by the other. */
    @Test
    void aRequestThatIsDeliveredAfterItsWithdrawalLeavesNothing() {
        silent.freeze();
        for (int number = 0; number < MANY; number++) {
            LockKey key = LockKey.of("late", "" + number);
            client.locks
                    .acquireAsync(client.locks.request(key).withWaitTime(TestClient.PATIENCE))
                    .thenAccept(HeldLock::release);
        }
        await().atMost(TestClient.PATIENCE)
                .until(() -> client.runtime.reaper().pending() == 0
                        && etcd.probe().keys("lock/late").isEmpty());
        silent.thaw();
        // Whatever is delivered is delivered before this passes by the same connection.
        for (int number = 0; number < 4; number++) {
            TestClient.get(client.provider.inspect(LockKey.of("late", "0")));
        }
        await().during(Duration.ofMillis(500)).atMost(TestClient.PATIENCE).untilAsserted(this::assertNobodyQueues);
    }
}
