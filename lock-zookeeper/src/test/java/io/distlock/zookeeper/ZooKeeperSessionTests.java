package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What sessions and requests there are, and what happens when a session or a node is taken away. */
class ZooKeeperSessionTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * Requests in ten seconds: a confirmation each three, the driver's pings, and two questions of this test. Twice as many, as
     * ten seconds are longer on a busy machine.
     */
    private static final long OF_ONE_SESSION = 2 * (4 + 2 + 2);

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(LocalZooKeeper.SERVER);

    private final String name = UUID.randomUUID().toString();
    private final LockKey key = LockKey.of(name);
    private final List<ZooKeeper> sessions = new CopyOnWriteArrayList<>();
    private LockRuntime runtime;
    private FaultProxy proxy;
    private ZooKeeperLockProvider provider;
    private LockClient client;
    private CuratorFramework curator;

    @BeforeEach
    void start() {
        runtime = LockRuntime.start();
        proxy = FaultProxy.to("127.0.0.1", zooKeeper.server().port());
        CuratorFrameworkFactory.Builder settings = CuratorFrameworkFactory.builder()
                .connectString(proxy.host() + ":" + proxy.port())
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> {
                    ZooKeeper session = new ZooKeeper(servers, timeout, watcher, readOnly);
                    sessions.add(session);
                    return session;
                });
        provider = new ZooKeeperLockProvider(runtime, settings, LocalZooKeeper.OPTIONS);
        client = LockClientBuilder.of(provider, runtime)
                .options(LockOptions.defaults().withWaitTime(PATIENCE))
                .build();
        curator = CuratorFrameworkFactory.newClient(zooKeeper.server().connectString(), new RetryOneTime(100));
        curator.start();
    }

    @AfterEach
    void stop() {
        proxy.pass();
        client.close();
        provider.close();
        runtime.close();
        curator.close();
        proxy.close();
    }

    private HeldLock acquire() {
        return client.acquire(client.request(key));
    }

    private List<String> nodes() throws Exception {
        try {
            return curator.getChildren().forPath("/lock/" + name);
        } catch (KeeperException.NoNodeException none) {
            return List.of();
        }
    }

    /** Ends the client's sessions, as the server ends one that has expired. */
    private void endSessions() throws Exception {
        for (ZooKeeper each : sessions) {
            CompletableFuture<WatchedEvent> connected = new CompletableFuture<>();
            ZooKeeper same = new ZooKeeper(
                    zooKeeper.server().connectString(),
                    10_000,
                    connected::complete,
                    each.getSessionId(),
                    each.getSessionPasswd());
            // The driver sends nothing if it is closed before it has begun to connect.
            connected.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            same.close();
        }
    }

    private long received() {
        return counted("zk_packets_received");
    }

    private long counted(String what) {
        return zooKeeper
                .server()
                .ask("mntr")
                .lines()
                .filter(line -> line.startsWith(what))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('\t') + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void eachHolderIsToldThatTheirSessionHasExpired() throws Exception {
        List<HeldLock> all = List.of(acquire(), client.acquire(client.request(name, "other")));
        endSessions();
        for (HeldLock held : all) {
            assertThat(held.lost()
                            .toCompletableFuture()
                            .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .reason())
                    .isEqualTo(LockLoss.Reason.NOT_OWNER);
        }
        // In another session.
        acquire().close();
    }

    @Test
    void aWaiterWhoseSessionHasExpiredTakesAnotherPlace() throws Exception {
        ZooKeeperLockProvider other =
                LocalZooKeeper.provider(runtime, zooKeeper.server().connectString());
        LockClient holder = LockClientBuilder.of(other, runtime).build();
        HeldLock held = holder.acquire(holder.request(key));
        CompletableFuture<HeldLock> waiter = client.acquireAsync(client.request(key));
        await().atMost(PATIENCE).until(() -> nodes().size() == 2);
        List<String> before = nodes();
        endSessions();
        await().atMost(PATIENCE).until(() -> nodes().size() == 2 && !nodes().equals(before));
        held.release();
        waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
        holder.close();
        other.close();
    }

    @Test
    void aHolderIsToldThatItsNodeWasDeleted() throws Exception {
        HeldLock held = acquire();
        curator.delete().forPath("/lock/" + name + "/" + nodes().get(0));
        // By the watch: the next renewal would be 10 s away.
        assertThat(held.lost().toCompletableFuture().get(5, TimeUnit.SECONDS).reason())
                .isEqualTo(LockLoss.Reason.NOT_OWNER);
    }

    @Test
    void aCreationWhoseAnswerIsLostLeavesNothingElse() throws Exception {
        acquire().close();
        for (int round = 0; round < 5; round++) {
            proxy.cutBeforeNextReply();
            HeldLock held = acquire();
            await().atMost(PATIENCE).until(() -> nodes().size() == 1);
            assertThat(held.isHeld()).isTrue();
            held.release();
            await().atMost(PATIENCE).until(() -> nodes().isEmpty());
        }
    }

    /** Its session was asked for while there was no server, and nobody waits for it any more. */
    @Test
    void aServerThatComesBackAfterLongIsUsed() {
        acquire().close();
        proxy.refuse();
        proxy.cut();
        LockRequest request = client.request(key).withLeaseTime(Duration.ofSeconds(1));
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.acquire(request.withWaitTime(Duration.ofMillis(300))));
        // Longer than that session would last: 1 s, and 3.75 ticks.
        await().pollDelay(Duration.ofSeconds(5)).until(() -> true);
        proxy.accept();
        client.acquire(request).close();
    }

    @Test
    void aPlaceWhoseCreationWasNotAnsweredIsKept() throws Exception {
        ZooKeeperLockProvider other =
                LocalZooKeeper.provider(runtime, zooKeeper.server().connectString());
        LockClient holder = LockClientBuilder.of(other, runtime).build();
        HeldLock held = holder.acquire(holder.request(key));
        // Its session is there, and nothing else is about to be answered.
        client.acquire(client.request(name, "other")).close();
        proxy.cutBeforeNextReply();
        CompletableFuture<HeldLock> waiter = client.acquireAsync(client.request(key));
        await().atMost(PATIENCE).until(() -> nodes().size() == 2);
        held.release();
        try (HeldLock next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(next.isHeld()).isTrue();
            assertThat(nodes()).singleElement().asString().endsWith("-0000000001");
        }
        holder.close();
        other.close();
    }

    @Test
    void aMinimumHoldTimeSurvivesTheProcessAndEndsByTheOneWhoWaits() throws Exception {
        ZooKeeperLockProvider doomed =
                LocalZooKeeper.provider(runtime, zooKeeper.server().connectString());
        LockRuntime own = LockRuntime.start();
        LockClient ending = LockClientBuilder.of(doomed, own).build();
        long since = runtime.ticker().nanos();
        ending.acquire(ending.request(key).withMinHoldTime(Duration.ofSeconds(3)))
                .close();
        ending.close();
        doomed.close();
        own.close();
        assertThat(nodes()).singleElement().asString().contains("kept.");
        // Nothing of that process runs any more, so it is the waiter who removes the node.
        runtime.close();
        runtime = LockRuntime.start();
        ZooKeeperLockProvider later =
                LocalZooKeeper.provider(runtime, zooKeeper.server().connectString());
        LockClient waiting = LockClientBuilder.of(later, runtime)
                .options(LockOptions.defaults().withWaitTime(PATIENCE))
                .build();
        try (HeldLock held = waiting.acquire(waiting.request(key))) {
            assertThat(held.isHeld()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - since)).isBetween(Duration.ofMillis(2_990), PATIENCE);
        }
        waiting.close();
        later.close();
    }

    @Test
    void locksWithOneLeaseTimeShareASessionAndTheirRenewalsCostNothing() {
        List<HeldLock> all = new ArrayList<>();
        for (int each = 0; each < 50; each++) {
            LockKey own = LockKey.of(name, String.valueOf(each));
            all.add(client.acquire(client.request(own).withLeaseTime(Duration.ofSeconds(12))));
        }
        // The usual one, which is always there, and this.
        assertThat(sessions).hasSize(2);
        // They are watched soon after.
        await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
        long before = received();
        await().pollDelay(Duration.ofSeconds(10)).until(() -> true);
        // Confirmations every 1.2 and 3 s, the driver's pings, and our own questions, some 30 on a machine with time to
        // spare.
        // All locks were renewed twice, which alone would be a hundred.
        assertThat(received() - before).isBetween(8L, 60L);
        assertThat(all).allMatch(HeldLock::isHeld);
        all.forEach(HeldLock::release);
    }

    @Test
    void acquiringAndReleasingTakesThreeRequests() {
        acquire().close();
        int rounds = 200;
        long before = received();
        for (int round = 0; round < rounds; round++) {
            acquire().close();
        }
        // And some confirmations.
        assertThat((double) (received() - before) / rounds).isBetween(3.0, 3.3);
    }

    /** Once what follows the grants is over, such as watches, no more comes than this. */
    private void awaitTenSecondsWithAtMost(long requests) {
        await().atMost(PATIENCE.multipliedBy(4))
                .pollDelay(Duration.ZERO)
                .until(this::receivedInTenSeconds, count -> count <= requests);
    }

    private long receivedInTenSeconds() {
        long before = received();
        await().pollDelay(Duration.ofSeconds(10)).atMost(PATIENCE).until(() -> true);
        return received() - before;
    }

    @Test
    void tenThousandLocksAskedForAtOnceAreHeldAndCostWhatTheirSessionDoes() {
        List<HeldLock> all = new ArrayList<>();
        // At once, which takes longer than a lease: what keeps the first ones must not wait behind the others.
        List<CompletableFuture<HeldLock>> asked = IntStream.range(0, 10_000)
                .mapToObj(each -> client.acquireAsync(
                        client.request(name, String.valueOf(each)).withWaitTime(Duration.ofMinutes(5))))
                .toList();
        asked.forEach(each -> all.add(each.join()));
        assertThat(sessions).hasSize(1);
        awaitTenSecondsWithAtMost(OF_ONE_SESSION);
        assertThat(all).allMatch(HeldLock::isHeld);
        for (int first = 0; first < 10_000; first += 200) {
            List<CompletableFuture<Release>> released = all.subList(first, first + 200).stream()
                    .map(each -> each.releaseAsync().toCompletableFuture())
                    .toList();
            // A busy server may not answer in time; it is asked again then.
            assertThat(released).allMatch(each -> each.join() != Release.NOT_OWNER);
        }
        // Nor has any try left a place that nobody knows of.
        await().atMost(PATIENCE).until(() -> counted("zk_ephemerals_count"), count -> count == 0);
    }

    @Test
    void twoHundredWaitersSendNothing() {
        List<CompletableFuture<HeldLock>> waiters = new ArrayList<>();
        List<HeldLock> others = new ArrayList<>();
        for (int each = 0; each < 20; each++) {
            LockKey own = LockKey.of(name, String.valueOf(each));
            others.add(client.acquire(client.request(own)));
            for (int waiter = 0; waiter < 10; waiter++) {
                waiters.add(client.acquireAsync(client.request(own).withWaitTime(Duration.ofMinutes(2))));
            }
        }
        awaitTenSecondsWithAtMost(OF_ONE_SESSION);
        assertThat(waiters).hasSize(200).noneMatch(CompletableFuture::isDone);
        others.forEach(HeldLock::release);
        waiters.forEach(waiter -> waiter.join().close());
    }
}
