package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import io.distlock.zookeeper.LockingProcess.With;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Holders in another process that are killed or frozen, with Curator waiting for this project's locks and the reverse. */
class CuratorTroubleTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(LocalZooKeeper.SERVER);

    private final String name = UUID.randomUUID().toString();
    private LockRuntime runtime;
    private ZooKeeperLockProvider provider;
    private LockClient client;
    private CuratorFramework curator;

    @BeforeEach
    void start() {
        String servers = zooKeeper.server().connectString();
        runtime = LockRuntime.start();
        provider = LocalZooKeeper.provider(runtime, servers);
        client = LockClientBuilder.of(provider, runtime)
                .options(LockOptions.defaults().withWaitTime(PATIENCE).withLeaseTime(LockingProcess.LEASE))
                .build();
        curator = CuratorFrameworkFactory.newClient(servers, new RetryOneTime(100));
        curator.start();
    }

    @AfterEach
    void stop() {
        client.close();
        provider.close();
        runtime.close();
        curator.close();
    }

    private LockingProcess holding(With with) {
        return LockingProcess.holding(with, zooKeeper.server().connectString(), name);
    }

    private boolean isQueueOf(int members) throws Exception {
        return curator.getChildren().forPath("/lock/" + name).size() == members;
    }

    @Test
    void aCuratorThatIsKilledIsFollowedByOurWaiter() throws Exception {
        try (LockingProcess holder = holding(With.CURATOR)) {
            CompletableFuture<HeldLock> waiter = ours();
            holder.kill();
            waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
        }
    }

    private CompletableFuture<HeldLock> ours() {
        CompletableFuture<HeldLock> waiter = client.acquireAsync(client.request(LockKey.of(name)));
        await().atMost(PATIENCE).until(() -> isQueueOf(2));
        assertThat(waiter).isNotDone();
        return waiter;
    }

    @Test
    void aCuratorThatIsFrozenIsFollowedByOurWaiterAndTakesNothingBack() throws Exception {
        try (LockingProcess holder = holding(With.CURATOR)) {
            CompletableFuture<HeldLock> waiter = ours();
            holder.freeze();
            try (HeldLock held = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                holder.thaw();
                // Once it has connected again and knows that its session is gone.
                await().pollDelay(Duration.ofSeconds(3)).until(() -> isQueueOf(1));
                assertThat(client.isCurrent(held.sequencers().get(0))).isTrue();
                assertThat(held.isHeld()).isTrue();
            }
        }
    }

    @Test
    void aHolderThatIsKilledIsFollowedByCurator() throws Exception {
        InterProcessMutex mutex = new InterProcessMutex(curator, "/lock/" + name);
        try (LockingProcess holder = holding(With.DISTLOCK)) {
            assertThat(mutex.acquire(1, TimeUnit.SECONDS)).isFalse();
            holder.kill();
            assertThat(mutex.acquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            mutex.release();
        }
    }

    @Test
    void aHolderThatIsFrozenIsFollowedByCuratorAndKnows() throws Exception {
        InterProcessMutex mutex = new InterProcessMutex(curator, "/lock/" + name);
        try (LockingProcess holder = holding(With.DISTLOCK)) {
            holder.freeze();
            assertThat(mutex.acquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            holder.thaw();
            holder.awaitLoss();
            assertThat(mutex.isOwnedByCurrentThread()).isTrue();
            mutex.release();
        }
    }
}
