package io.distlock.etcd.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockLoss;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A store that goes back to an earlier state while its clients live on. */
class EtcdRestoreTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    /** The next renewal tells of the loss: the store keeps the key for longer. */
    private static final Duration LEASE = Duration.ofSeconds(20);

    private FaultProxy proxy;
    private TestClient client;

    @BeforeEach
    void open() {
        proxy = FaultProxy.to(etcd.server().host(), etcd.server().port());
        client = TestClient.of(etcd.server().endpoint().withPort(proxy.port()), EtcdLockOptions.defaults(), LEASE);
    }

    @AfterEach
    void close() {
        client.close();
        proxy.close();
    }

    private HeldLock acquire(String name) {
        return client.locks.acquire(client.locks.request(name).withWaitTime(TestClient.PATIENCE));
    }

    /**
     * A request without an answer is withdrawn by advancing the session's epoch, three times: one that came after the restore
     * could give it the same number again.
     */
    private void advanceTheEpoch() {
        String session = etcd.probe().keys("lock//").get(0);
        long before = etcd.probe().get(session).orElseThrow().modRevision();
        proxy.dropReplies();
        var unanswered = client.locks.acquireAsync(client.locks.request("unanswered"));
        await().atMost(TestClient.PATIENCE).until(unanswered::isDone);
        proxy.pass();
        proxy.cut();
        await().atMost(TestClient.PATIENCE)
                .until(() -> etcd.probe().get(session).orElseThrow().modRevision() > before
                        && client.runtime.reaper().pending() == 0);
        acquire("advanced").close();
    }

    /** It knew a later epoch than the store, was refused for that, and asked again at once, for as long as it waited. */
    @Test
    void aClientThatLivesThroughItGetsLocksAgainAndLosesThoseOfItsSession() {
        acquire("first").close();
        HeldLock held = acquire("held");
        etcd.server().backUp();
        advanceTheEpoch();
        etcd.server().restore();
        EtcdRpcs before = etcd.probe().rpcs();
        acquire("afterwards").close();
        assertThat(etcd.probe().rpcs().since(before).started("Txn")).isLessThan(50);
        assertThat(TestClient.get(held.lost()).reason()).isEqualTo(LockLoss.Reason.NOT_OWNER);
    }
}
