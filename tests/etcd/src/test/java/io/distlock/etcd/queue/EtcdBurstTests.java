package io.distlock.etcd.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import io.distlock.test.fault.FaultProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many locks of one process, all of which need something at the same moment. */
class EtcdBurstTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private FaultProxy proxy;
    private TestClient client;

    @BeforeEach
    void open() {
        proxy = FaultProxy.to(etcd.server().host(), etcd.server().port());
        client = TestClient.of(etcd.server().endpoint().withPort(proxy.port()));
    }

    @AfterEach
    void close() {
        client.close();
        proxy.close();
    }

    private List<HeldLock> hold(int count) {
        List<HeldLock> held = new ArrayList<>();
        IntStream.range(0, count)
                .boxed()
                .map(number -> client.locks.acquireAsync(
                        client.locks.request(LockKey.of("burst", "" + number)).withWaitTime(TestClient.PATIENCE)))
                .toList()
                .forEach(each -> held.add(TestClient.get(each)));
        awaitWatched(count);
        return held;
    }

    private static void awaitWatched(int count) {
        await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().watches().watchers() == count);
    }

    private void cutOff() {
        proxy.refuse();
        proxy.cut();
        awaitWatched(0);
    }

    /** Each lock used to ask for itself, and the keepalive that all of them rely on stood behind thousands of reads. */
    @Test
    void aStreamThatBreaksCostsAFewReadsForThousandsOfLocks() {
        int count = 2_000;
        List<HeldLock> held = hold(count);
        awaitChecked();
        EtcdRpcs before = etcd.probe().rpcs();
        cutOff();
        proxy.accept();
        awaitWatched(count);
        awaitChecked();
        EtcdRpcs cost = etcd.probe().rpcs().since(before);
        // One at a time, for up to a hundred locks.
        assertThat(cost.started("Range") + cost.started("Txn")).isLessThan(count / 2);
        assertThat(held).allMatch(HeldLock::isHeld);
    }

    /** Whatever the reads are about, another lock's release comes after them. */
    private void awaitChecked() {
        client.locks
                .acquire(client.locks.request("last").withWaitTime(TestClient.PATIENCE))
                .close();
    }

    @Test
    void whatIsDeletedWhileNobodyWatchesIsFoundAmongMany() {
        List<HeldLock> held = hold(250);
        cutOff();
        etcd.probe().deleteAll("lock/burst:123/");
        proxy.accept();
        assertThat(TestClient.get(held.get(123).lost()).reason()).isEqualTo(LockLoss.Reason.NOT_OWNER);
        assertThat(held.stream().filter(HeldLock::isHeld)).hasSize(249);
    }
}
