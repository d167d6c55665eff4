package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.ProviderStatus;
import io.distlock.support.LockRuntime;
import io.distlock.test.zookeeper.ZooKeeperEnsemble;
import io.distlock.test.zookeeper.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three servers, of which some are killed, frozen and cut off. */
class ZooKeeperFaultTests {

    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final Duration LEASE = Duration.ofSeconds(4);

    private static ZooKeeperEnsemble ensemble;

    private final LockKey key = LockKey.of("faults", UUID.randomUUID().toString());
    private final List<AutoCloseable> open = new ArrayList<>();
    private LockRuntime runtime;

    @BeforeAll
    static void startServers() {
        // A follower that hears nothing from its leader goes on to answer pings for longer than a session lasts.
        ensemble = ZooKeeperEnsemble.start(LocalZooKeeper.SERVER.with("syncLimit", "20"));
    }

    @AfterAll
    static void stopServers() {
        ensemble.close();
    }

    @BeforeEach
    void start() {
        ensemble.reset();
        ensemble.awaitLeader();
        runtime = LockRuntime.start();
    }

    @AfterEach
    void stop() throws Exception {
        ensemble.reset();
        for (AutoCloseable each : open) {
            each.close();
        }
        runtime.close();
    }

    private LockClient client(String connectString) {
        ZooKeeperLockProvider provider = LocalZooKeeper.provider(runtime, connectString);
        LockClient client = LockClientBuilder.of(provider, runtime)
                .options(LockOptions.defaults().withWaitTime(PATIENCE).withLeaseTime(LEASE))
                .shutdownTimeout(Duration.ZERO)
                .build();
        open.add(client);
        open.add(provider);
        return client;
    }

    private HeldLock acquire(LockClient client) {
        return client.acquire(client.request(key));
    }

    private static <T> T get(CompletionStage<T> future) throws Exception {
        return future.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Only the leader knows when a session ends. The follower answers the driver's pings until long after that. */
    @Test
    void theHolderAtAFollowerThatIsCutOffKnowsBeforeAnotherHasTheLock() throws Exception {
        for (int round = 0; round < 3; round++) {
            ZooKeeperServer follower = ensemble.followers().get(0);
            HeldLock held = acquire(client(follower.connectString()));
            CompletableFuture<HeldLock> next =
                    acquireLater(client(ensemble.awaitLeader().connectString()));
            // At another moment between two confirmations each time.
            long lasted = runtime.ticker().nanos()
                    + Duration.ofMillis(1_600 + 300L * round).toNanos();
            await().pollInterval(Duration.ofMillis(10))
                    .until(() -> runtime.ticker().nanos() - lasted > 0);
            assertThat(held.isHeld()).isTrue();
            ensemble.silence(follower);
            boolean both = get(next.thenApply(granted -> held.isHeld()));
            assertThat(both).isFalse();
            assertThat(get(held.lost()).reason()).isEqualTo(LockLoss.Reason.EXPIRED);
            assertThat(follower.mode()).contains("follower");
            get(next).close();
            // All of them serve again: without the one that is cut off next, the others must be a majority.
            ensemble.reset();
        }
    }

    private CompletableFuture<HeldLock> acquireLater(LockClient client) {
        CompletableFuture<HeldLock> waiter = client.acquireAsync(client.request(key));
        await().atMost(PATIENCE)
                .until(() -> client.inspect(key).orElseThrow().waiters().orElseThrow() == 1);
        return waiter;
    }

    @Test
    void aHeldLockSurvivesItsLeadersDeath() throws Exception {
        LockClient client = client(ensemble.connectString());
        // Longer than an election takes on a busy machine.
        HeldLock held = client.acquire(client.request(key).withLeaseTime(Duration.ofSeconds(40)));
        CompletableFuture<HeldLock> next = acquireLater(client(ensemble.connectString()));
        ensemble.awaitLeader().kill();
        ensemble.awaitLeader();
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> client.isCurrent(held.sequencers().get(0)));
        assertThat(held.isHeld()).isTrue();
        assertThat(next).isNotDone();
        await().atMost(PATIENCE).until(() -> held.release() != Release.UNKNOWN || next.isDone());
        assertThat(get(next).fencingToken()).isGreaterThan(held.fencingToken());
        get(next).close();
    }

    /** The driver alone would wait for two thirds of a session before it asks another server. */
    @Test
    void aFrozenServerIsLeftBeforeTheLockIsLost() {
        for (ZooKeeperServer follower : ensemble.followers()) {
            LockClient client = client(ensemble.connectString());
            HeldLock held = client.acquire(client.request(key).withLeaseTime(Duration.ofSeconds(10)));
            follower.freeze();
            // For longer than the lease: it was confirmed by another server, if it was at this one.
            long frozen = runtime.ticker().nanos();
            await().atMost(PATIENCE)
                    .until(() -> runtime.ticker().nanos() - frozen
                            > Duration.ofSeconds(11).toNanos());
            assertThat(held.isHeld()).isTrue();
            held.release();
            follower.thaw();
        }
    }

    /** Its followers elect another, and it finds out once it goes on. */
    @Test
    void aLeaderThatIsFrozenAndReplacedGivesNoLockAway() throws Exception {
        ZooKeeperServer leader = ensemble.awaitLeader();
        HeldLock held = acquire(client(leader.connectString()));
        CompletableFuture<HeldLock> next =
                acquireLater(client(ensemble.followers().get(0).connectString()));
        leader.freeze();
        boolean both = get(next.thenApply(granted -> held.isHeld()));
        assertThat(both).isFalse();
        leader.thaw();
        ensemble.awaitLeader();
        assertThat(get(next).isHeld()).isTrue();
        assertThat(held.isHeld()).isFalse();
        get(next).close();
    }

    /** It ends sessions of which it has not heard meanwhile, and may answer their clients just before. */
    @Test
    void aLeaderThatIsFrozenForASessionAndGoesOnGivesNoLockAway() throws Exception {
        for (long millis : new long[] {5_400, 5_800, 6_100, 6_500}) {
            ZooKeeperServer leader = ensemble.awaitLeader();
            List<ZooKeeperServer> followers = ensemble.followers();
            HeldLock held = acquire(client(followers.get(0).connectString()));
            CompletableFuture<HeldLock> next =
                    acquireLater(client(followers.get(1).connectString()));
            CompletableFuture<Boolean> both = next.thenApply(granted -> held.isHeld());
            leader.freeze();
            long thaw = runtime.ticker().nanos() + TimeUnit.MILLISECONDS.toNanos(millis);
            await().pollInterval(Duration.ofMillis(5))
                    .atMost(PATIENCE)
                    .until(() -> runtime.ticker().nanos() - thaw > 0);
            leader.thaw();
            // Lost or not: that depends on the moment.
            await().atMost(PATIENCE).until(() -> held.release() != Release.UNKNOWN || next.isDone());
            assertThat(get(both)).isFalse();
            get(next).close();
        }
    }

    @Test
    void healthNamesTheMembers() throws Exception {
        ZooKeeperLockProvider provider = LocalZooKeeper.provider(runtime, ensemble.connectString() + "/health");
        open.add(provider);
        ProviderStatus status = get(provider.check());
        assertThat(status.details()).containsEntry("mode", "ensemble of 3");
        assertThat(status.details().get("ensemble"))
                .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                .hasSize(3)
                .allMatch(member -> member.contains("participant"));
    }

    @Test
    void anEnsembleWithoutAMajorityIsUnavailableAndComesBack() throws Exception {
        LockClient client = client(ensemble.connectString());
        acquire(client).close();
        List<ZooKeeperServer> followers = ensemble.followers();
        followers.forEach(ZooKeeperServer::kill);
        CompletableFuture<HeldLock> waiter = client.acquireAsync(client.request(key));
        followers.forEach(ZooKeeperServer::relaunch);
        get(waiter).close();
    }
}
