package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A place in the queue whose creation was not answered, or whose node was deleted: a waiter has one node, and no other's. */
class QueuePlaceTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(LocalZooKeeper.SERVER);

    private final String name = UUID.randomUUID().toString();
    private final LockKey key = LockKey.of(name);
    private LockRuntime runtime;
    private FaultProxy proxy;
    private ZooKeeperLockProvider provider;
    private LockClient client;
    private CuratorFramework curator;

    @BeforeEach
    void start() {
        runtime = LockRuntime.start();
        proxy = FaultProxy.to("127.0.0.1", zooKeeper.server().port());
        provider = LocalZooKeeper.provider(runtime, proxy.host() + ":" + proxy.port());
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

    private List<String> nodes() throws Exception {
        return curator.getChildren().forPath("/lock/" + name);
    }

    /** Another client's, which keeps the queue from vanishing. */
    private String another() throws Exception {
        return curator.create()
                .creatingParentContainersIfNeeded()
                .withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
                .forPath("/lock/" + name + "/_c_" + UUID.randomUUID() + "-lock-");
    }

    private long watches() {
        return zooKeeper
                .server()
                .ask("mntr")
                .lines()
                .filter(line -> line.startsWith("zk_watch_count"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('\t') + 1)))
                .findFirst()
                .orElseThrow();
    }

    private void assertHoldsItsOnlyNode(HeldLock held) throws Exception {
        assertThat(held.isHeld()).isTrue();
        assertThat(nodes()).hasSize(1);
        Stat node = curator.checkExists().forPath("/lock/" + name + "/" + nodes().get(0));
        assertThat(held.sequencers())
                .singleElement()
                .satisfies(sequencer -> assertThat(sequencer.token().value()).isEqualTo(node.getCzxid()));
    }

    /** The list has the nodes of others as well, in any order. */
    @Test
    void ofAllPlacesInTheQueueOnlyItsOwnIsFoundAgain() throws Exception {
        List<String> ahead = new ArrayList<>();
        for (int each = 0; each < 8; each++) {
            ahead.add(another());
        }
        client.acquire(client.request(name, "other")).close();
        long watches = watches();
        proxy.cutBeforeNextReply();
        CompletableFuture<HeldLock> waiter = client.acquireAsync(client.request(key));
        await().atMost(PATIENCE).until(() -> nodes().size() == 9 && watches() > watches);
        for (String each : ahead) {
            curator.delete().forPath(each);
        }
        try (HeldLock next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertHoldsItsOnlyNode(next);
            assertThat(nodes()).singleElement().asString().endsWith("-0000000008");
        }
    }

    @Test
    void aPlaceWhoseCreationWasNotAnsweredIsLeftWhenItsWaiterGivesUp() throws Exception {
        String ahead = another();
        client.acquire(client.request(name, "other")).close();
        proxy.refuse();
        proxy.cutBeforeNextReply();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.acquire(client.request(key).withWaitTime(Duration.ofMillis(300))));
        await().atMost(PATIENCE).until(() -> nodes().size() == 2);
        proxy.accept();
        await().atMost(PATIENCE).until(() -> nodes().size() == 1);
        assertThat(ahead).endsWith(nodes().get(0));
    }

    /** By an operator, for example. Without a node, others would not wait for it. */
    @Test
    void aWaiterWhoseNodeWasDeletedTakesAnotherPlace() throws Exception {
        String ahead = another();
        CompletableFuture<HeldLock> waiter = client.acquireAsync(client.request(key));
        await().atMost(PATIENCE).until(() -> nodes().size() == 2);
        for (String each : nodes()) {
            if (!ahead.endsWith(each)) {
                curator.delete().forPath("/lock/" + name + "/" + each);
            }
        }
        curator.delete().forPath(ahead);
        try (HeldLock next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertHoldsItsOnlyNode(next);
        }
    }

    /** The server deletes a queue that has been empty for a while. */
    @Test
    void aWaiterWhoseNodeWasDeletedWithTheWholeQueueTakesAPlaceInANewOne() throws Exception {
        another();
        CompletableFuture<HeldLock> waiter = client.acquireAsync(client.request(key));
        await().atMost(PATIENCE).until(() -> nodes().size() == 2);
        List<CuratorOp> deletions = new ArrayList<>();
        for (String each : nodes()) {
            deletions.add(curator.transactionOp().delete().forPath("/lock/" + name + "/" + each));
        }
        deletions.add(curator.transactionOp().delete().forPath("/lock/" + name));
        curator.transaction().forOperations(deletions);
        try (HeldLock next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertHoldsItsOnlyNode(next);
        }
    }

    /** By an operator, for example. Its token is that of its creation. */
    @Test
    void aNodeThatSomebodyHasWrittenToIsStillItsHolders() throws Exception {
        HeldLock held = client.acquire(client.request(key));
        curator.setData().forPath("/lock/" + name + "/" + nodes().get(0), "changed".getBytes(StandardCharsets.UTF_8));
        assertHoldsItsOnlyNode(held);
        assertThat(client.isCurrent(held.sequencers().get(0))).isTrue();
        assertThat(client.inspect(key).orElseThrow().holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.token()).contains(held.fencingToken()));
        assertThat(held.release()).isEqualTo(Release.RELEASED);
    }
}
