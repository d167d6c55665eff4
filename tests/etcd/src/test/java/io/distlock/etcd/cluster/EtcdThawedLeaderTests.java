package io.distlock.etcd.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Ticker;
import io.distlock.test.etcd.EtcdClusterExtension;
import io.distlock.test.etcd.EtcdServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A leader that is frozen for longer than a lease lasts, and thaws: it takes away leases that its successor has kept alive,
 * sometimes (etcd 3.4 and 3.5, the newest, too).
 */
class EtcdThawedLeaderTests {

    @RegisterExtension
    static final EtcdClusterExtension etcd = EtcdClusterExtension.create();

    private static final Logger log = LoggerFactory.getLogger(EtcdThawedLeaderTests.class);
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final int LOCKS = 10;

    private static final EtcdLockOptions OPTIONS = EtcdLockOptions.defaults();

    private final TestClient holder = client(LEASE);
    private final TestClient next = client(LEASE.plusSeconds(1));

    private static TestClient client(Duration leaseTime) {
        return TestClient.of(LocalEtcd.connection(etcd.cluster().endpoints(), OPTIONS), OPTIONS, leaseTime);
    }

    @AfterEach
    void close() {
        next.close();
        holder.close();
    }

    @RepeatedTest(2)
    void aHolderKnowsOfItsLossBeforeOneWhoWaitsHasTheLock() {
        List<HeldLock> held = new ArrayList<>();
        List<CompletableFuture<Boolean>> heldTwice = new ArrayList<>();
        for (int number = 0; number < LOCKS; number++) {
            LockKey key = LockKey.of("thaw", "" + number);
            // Each has a session of its own, of which the leader may take some and leave others.
            HeldLock lock = holder.locks.acquire(holder.locks
                    .request(key)
                    .withWaitTime(TestClient.PATIENCE)
                    .withLeaseTime(LEASE)
                    .withLockDelay(Duration.ofSeconds(number)));
            held.add(lock);
            heldTwice.add(next.locks
                    .acquireAsync(next.locks.request(key).withWaitTime(Duration.ofMinutes(2)))
                    .thenApply(granted -> lock.isHeld()));
            await().atMost(TestClient.PATIENCE).until(() -> next.waiters(key) == 1);
        }
        freezeLeaderFor(LEASE.plusSeconds(3));
        // What it takes away it takes at once; then each of them ends as it does without faults.
        await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
        log.info(
                "{} of {} locks were lost",
                held.stream().filter(lock -> !lock.isHeld()).count(),
                LOCKS);
        held.forEach(HeldLock::release);
        heldTwice.forEach(each -> assertThat(TestClient.get(each)).isFalse());
    }

    private static void freezeLeaderFor(Duration time) {
        EtcdServer leader = etcd.cluster().awaitLeader();
        leader.freeze();
        long frozen = Ticker.system().nanos();
        await().atMost(TestClient.PATIENCE).until(() -> Ticker.system().nanos() - frozen > time.toNanos());
        leader.thaw();
    }
}
