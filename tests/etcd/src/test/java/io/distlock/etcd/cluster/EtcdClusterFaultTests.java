package io.distlock.etcd.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Ticker;
import io.distlock.test.etcd.EtcdClusterExtension;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.etcd.EtcdServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster of three whose members die, freeze and come back while three clients contend and one holds. */
class EtcdClusterFaultTests {

    @RegisterExtension
    static final EtcdClusterExtension etcd =
            EtcdClusterExtension.create(EtcdServerOptions.defaults().withSeverablePeers());

    private static final Logger log = LoggerFactory.getLogger(EtcdClusterFaultTests.class);
    private static final LockKey HELD = LockKey.of("held");
    private static final Duration LEASE = Duration.ofSeconds(15);

    /** How often the database is compacted; to be raised by hand for a longer look. */
    private static final int COMPACTIONS = Integer.getInteger("distlock.test.etcd.compactions", 5);

    private final List<TestClient> clients = new ArrayList<>();
    private Contenders contenders;
    private HeldLock held;

    @BeforeEach
    void open() {
        for (int number = 0; number < 3; number++) {
            EtcdLockOptions options = EtcdLockOptions.defaults();
            clients.add(TestClient.of(LocalEtcd.connection(etcd.cluster().endpoints(), options), options, LEASE));
        }
        held = clients.get(0).locks.acquire(clients.get(0).locks.request(HELD).withWaitTime(TestClient.PATIENCE));
        contenders = new Contenders(clients);
        contenders.awaitProgress(TestClient.PATIENCE);
    }

    @AfterEach
    void close() {
        contenders.close();
        clients.forEach(TestClient::close);
        contenders.assertNoViolation();
    }

    /** A second is usual; the rest is for what this machine has else to do. A lease lasts longer. */
    private void assertWorksWithANewLeader() {
        etcd.cluster().awaitLeader();
        Duration took = contenders.awaitGrant(Duration.ofSeconds(12));
        log.info("granted {} ms after there was a leader", took.toMillis());
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
    void aLeaderThatIsCutOffIsReplaced() {
        EtcdServer leader = etcd.cluster().awaitLeader();
        etcd.cluster().cutOff(leader);
        await().atMost(TestClient.PATIENCE)
                .until(() -> etcd.cluster()
                        .leader()
                        .filter(next -> !next.equals(leader))
                        .isPresent());
        assertWorksWithANewLeader();
        // Calls take turns among the members: those to the lonely one fail, and do no harm.
        contenders.awaitProgress(TestClient.PATIENCE);
        etcd.cluster().reunite();
        contenders.awaitProgress(TestClient.PATIENCE);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void aFollowerThatIsCutOffIsNotMissed() {
        etcd.cluster().cutOff(etcd.cluster().followers().get(0));
        contenders.awaitProgress(TestClient.PATIENCE);
        etcd.cluster().reunite();
        contenders.awaitProgress(TestClient.PATIENCE);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void withoutAMajorityNothingIsGrantedAndWhatIsHeldIsLostInTime() {
        List<EtcdServer> followers = etcd.cluster().followers();
        followers.forEach(EtcdServer::kill);
        long killed = Ticker.system().nanos();
        int before = contenders.grants();
        // Whatever extended it had left before the kill.
        assertThat(Duration.ofNanos(lastHeldNanos(held) - killed)).isLessThan(LEASE);
        assertThat(TestClient.get(held.lost()).reason()).isEqualTo(LockLoss.Reason.EXPIRED);
        // One may have been on its way, and the next found itself first.
        int since = contenders.grants();
        assertThat(since).isLessThanOrEqualTo(before + contenders.size());
        assertOnlyUnavailable();
        assertThat(contenders.grants()).isEqualTo(since);
        followers.forEach(EtcdServer::restart);
        etcd.cluster().awaitLeader();
        contenders.awaitProgress(TestClient.PATIENCE);
    }

    /** When it was last known to be held, which does not depend on how soon a loss is told. */
    private static long lastHeldNanos(HeldLock held) {
        AtomicLong last = new AtomicLong(Ticker.system().nanos());
        await().atMost(TestClient.PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
            long now = Ticker.system().nanos();
            if (held.isHeld()) {
                last.set(now);
                return false;
            }
            return true;
        });
        return last.get();
    }

    /** Each has asked several times: what it says then, it was asked without a majority. */
    private void assertOnlyUnavailable() {
        int refusals = contenders.refusals();
        int unavailable = contenders.unavailable();
        await().atMost(TestClient.PATIENCE)
                .until(() -> contenders.unavailable() >= unavailable + 2 * contenders.size());
        assertThat(contenders.refusals()).isEqualTo(refusals);
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
                .acquireAsync(clients.get(1).locks.request(HELD).withWaitTime(Duration.ofMinutes(2)));
        for (int round = 0; round < COMPACTIONS; round++) {
            etcd.cluster().probe().compact(etcd.cluster().probe().revision());
            contenders.awaitProgress(TestClient.PATIENCE);
            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
        }
        held.release();
        TestClient.get(waiter).close();
    }
}
