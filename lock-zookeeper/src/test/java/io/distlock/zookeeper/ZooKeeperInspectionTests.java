package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.inOrder;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.Sequencer;
import io.distlock.spi.ProviderStatus;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

/** What is seen of a queue that changes meanwhile, and of servers that do not tell everything. The driver is a mock. */
class ZooKeeperInspectionTests {

    private static final LockKey KEY = LockKey.of("orders");
    private static final String READER_1 = "_c_a-shared-lock-0000000001";
    private static final String READER_2 = "_c_b-shared-lock-0000000002";
    private static final String WRITER_3 = "_c_c-lock-0000000003";

    private final LockRuntime runtime = ManualScheduler.runtime(new ManualTicker());
    private final List<DriverMock> drivers = new ArrayList<>();
    private final ZooKeeperSessions sessions =
            new ZooKeeperSessions(runtime, LocalZooKeeper.OPTIONS, DriverMock.clients(drivers));
    private final ZooKeeperInspection inspection =
            new ZooKeeperInspection(runtime.ticker(), sessions, new LockPaths("lock"));
    private ZooKeeper client;

    @BeforeEach
    void connect() {
        CompletableFuture<ZooKeeperSession> usual = sessions.usual();
        DriverMock driver = drivers.get(0);
        client = driver.client;
        driver.answers = true;
        driver.says(KeeperState.SyncConnected);
        assertThat(usual).isCompleted();
    }

    @AfterEach
    void close() {
        runtime.close();
    }

    private void queue(String... names) {
        doAnswer(call -> {
                    call.<ChildrenCallback>getArgument(2).processResult(0, "/lock/orders", null, List.of(names));
                    return null;
                })
                .when(client)
                .getChildren(eq("/lock/orders"), anyBoolean(), any(ChildrenCallback.class), any());
    }

    /** Created by this transaction and changed by a later one. */
    private void node(String name, Code code, long czxid) {
        Stat stat = new Stat();
        stat.setCzxid(czxid);
        stat.setMzxid(czxid + 1);
        byte[] owner = ("owner of " + name).getBytes(StandardCharsets.UTF_8);
        doAnswer(call -> {
                    boolean found = code == Code.OK;
                    call.<DataCallback>getArgument(2)
                            .processResult(code.intValue(), name, null, found ? owner : null, found ? stat : null);
                    return null;
                })
                .when(client)
                .getData(eq("/lock/orders/" + name), anyBoolean(), any(DataCallback.class), any());
    }

    @Test
    void aReaderThatLeavesWhileItIsLookedAtDoesNotHideTheOthers() {
        queue(READER_1, READER_2, WRITER_3);
        node(READER_1, Code.NONODE, 0);
        node(READER_2, Code.OK, 7);
        Optional<LockStatus> seen = inspection.inspect(KEY).join();
        assertThat(seen)
                .hasValueSatisfying(status -> assertThat(status.holders())
                        .singleElement()
                        .satisfies(holder -> assertThat(holder.token()).contains(new FencingToken(7))));
        assertThat(inspection.isCurrent(new Sequencer(KEY, LockMode.SHARED, new FencingToken(7))))
                .isCompletedWithValue(true);
    }

    @Test
    void aHolderThatLeavesWhileItIsLookedAtIsNone() {
        queue(WRITER_3);
        node(WRITER_3, Code.NONODE, 0);
        assertThat(inspection.inspect(KEY)).isCompletedWithValue(Optional.empty());
    }

    /** Another server than before may answer, which is behind. */
    @Test
    void theServerCatchesUpBeforeItIsAsked() {
        queue(WRITER_3);
        node(WRITER_3, Code.OK, 7);
        assertThat(inspection.inspect(KEY)).isCompleted();
        InOrder order = inOrder(client);
        order.verify(client).sync(anyString(), any(VoidCallback.class), any());
        order.verify(client).getChildren(anyString(), anyBoolean(), any(ChildrenCallback.class), any());
    }

    @Test
    void aLostPlaceIsLookedForAfterTheServerHasCaughtUp() {
        queue(WRITER_3);
        node(WRITER_3, Code.OK, 7);
        ZooKeeperQueues queues = new ZooKeeperQueues(runtime, LocalZooKeeper.OPTIONS, sessions);
        assertThat(queues.find(sessions.usual().join(), "/lock/orders", "c").join())
                .hasValueSatisfying(found -> assertThat(found.path()).endsWith(WRITER_3));
        InOrder order = inOrder(client);
        order.verify(client).sync(anyString(), any(VoidCallback.class), any());
        order.verify(client).getChildren(anyString(), anyBoolean(), any(ChildrenCallback.class), any());
    }

    private void configuration(Code code, String text) {
        doAnswer(call -> {
                    boolean shown = code == Code.OK;
                    call.<DataCallback>getArgument(1)
                            .processResult(
                                    code.intValue(),
                                    "/zookeeper/config",
                                    null,
                                    text.getBytes(StandardCharsets.UTF_8),
                                    shown ? new Stat() : null);
                    return null;
                })
                .when(client)
                .getConfig(anyBoolean(), any(DataCallback.class), any());
    }

    @Test
    void aServerThatHidesItsConfigurationIsUp() {
        configuration(Code.NOAUTH, "");
        ProviderStatus status = inspection.check("zk-1:2181").join();
        assertThat(status.state()).isEqualTo(ProviderStatus.State.UP);
        assertThat(status.details()).containsEntry("servers", "zk-1:2181").doesNotContainKey("mode");
    }

    /** It answers what it knows itself, and the leader does not. */
    @Test
    void aServerWithoutALeaderIsDown() {
        configuration(Code.OK, "server.1=zk-1:2888:3888:participant");
        drivers.get(0).answers = false;
        CompletableFuture<ProviderStatus> check = inspection.check("zk-1:2181");
        drivers.get(0).answer(Code.CONNECTIONLOSS);
        assertThat(check.join().state()).isEqualTo(ProviderStatus.State.DOWN);
    }
}
