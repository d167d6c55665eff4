package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LossReason;
import io.distlock.test.etcd.EtcdClusterExtension;
import io.distlock.test.etcd.EtcdServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A cluster of three whose members die, freeze and come back while three clients contend and one holds. */
class EtcdClusterFaultTests {

    @RegisterExtension
    static final EtcdClusterExtension etcd = EtcdClusterExtension.create();

    private static final LockKey HELD = LockKey.of("held");
    private static final Duration LEASE = Duration.ofSeconds(15);

    private final List<TestClient> clients = new ArrayList<>();
    private Contenders contenders;
    private HeldLock held;

    @BeforeEach
    void open() {
        for (int number = 0; number < 3; number++) {
            EtcdLockOptions options = EtcdLockOptions.defaults();
            clients.add(TestClient.of(LocalEtcd.connection(etcd.cluster().endpoints(), options), options, LEASE));
        }
        held = clients.get(0).locks.acquire(clients.get(0).locks.request(HELD));
        contenders = new Contenders(clients);
        contenders.awaitProgress(TestClient.PATIENCE);
    }

    @AfterEach
    void close() {
        contenders.close();
        clients.forEach(TestClient::close);
        contenders.assertNoViolation();
    }

    /** Within three seconds of a leader being there again; one more for what this machine has else to do. */
    private void assertWorksWithANewLeader() {
        etcd.cluster().awaitLeader();
        contenders.awaitGrant(Duration.ofSeconds(4));
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void aLeaderThatDiesIsReplaced() {
        EtcdServer leader = etcd.cluster().awaitLeader();
        leader.kill();
        assertWorksWithANewLeader();
        leader.restart();
        contenders.awaitProgress(TestClient.PATIENCE);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void aLeaderThatFreezesIsReplaced() {
        EtcdServer leader = etcd.cluster().awaitLeader();
        leader.freeze();
        assertWorksWithANewLeader();
        await().pollDelay(Duration.ofSeconds(5)).until(() -> true);
        leader.thaw();
        contenders.awaitProgress(TestClient.PATIENCE);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void aFollowerThatDiesIsNotMissed() {
        EtcdServer follower = etcd.cluster().followers().get(0);
        follower.kill();
        assertWorksWithANewLeader();
        follower.restart();
        contenders.awaitProgress(TestClient.PATIENCE);
    }

    @Test
    void aFollowerThatFreezesIsNotMissed() {
        EtcdServer follower = etcd.cluster().followers().get(0);
        follower.freeze();
        assertWorksWithANewLeader();
        follower.thaw();
        contenders.awaitProgress(TestClient.PATIENCE);
    }

    @Test
    void withoutAMajorityNothingIsGrantedAndWhatIsHeldIsLostInTime() {
        List<EtcdServer> followers = etcd.cluster().followers();
        followers.forEach(EtcdServer::kill);
        assertThat(TestClient.get(held.lost()).reason()).isEqualTo(LossReason.EXPIRED);
        followers.forEach(EtcdServer::restart);
        etcd.cluster().awaitLeader();
        contenders.awaitProgress(TestClient.PATIENCE);
    }

    @Test
    void membersThatAreRestartedOneAfterTheOtherLoseNothing() {
        for (EtcdServer member : etcd.cluster().members()) {
            member.stop();
            member.restart();
            etcd.cluster().awaitLeader();
            contenders.awaitProgress(TestClient.PATIENCE);
        }
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void compactionDisturbsNobody() {
        var waiter = clients.get(1)
                .locks
                .acquireAsync(clients.get(1).locks.request(HELD).withWaitTime(TestClient.PATIENCE));
        for (int round = 0; round < 5; round++) {
            etcd.cluster().probe().compact(etcd.cluster().probe().revision());
            contenders.awaitProgress(TestClient.PATIENCE);
            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
        }
        held.release();
        TestClient.get(waiter).close();
    }
}
