package io.distlock.zookeeper;

import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Testable;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** The driver of one session. Answers no {@code sync} until it is told to. */
final class DriverMock {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final ZooKeeper client = mock(ZooKeeper.class);
    final Testable inside = mock(Testable.class);
    final int needed;
    private final Watcher watcher;
    private final List<VoidCallback> asked = new ArrayList<>();
    volatile boolean answers;

    private DriverMock(Watcher watcher, int needed) {
        this.watcher = watcher;
        this.needed = needed;
        when(client.getSessionTimeout()).thenReturn(needed);
        when(client.getState()).thenReturn(ZooKeeper.States.CONNECTED);
        when(client.getTestable()).thenReturn(inside);
        doAnswer(call -> {
                    asked.add(call.getArgument(1));
                    if (answers) {
                        answer(Code.OK);
                    }
                    return null;
                })
                .when(client)
                .sync(anyString(), any(VoidCallback.class), any());
    }

    /** Clients whose drivers are these. */
    static ZooKeeperClients clients(List<DriverMock> drivers) {
        return new ZooKeeperClients(CuratorFrameworkFactory.builder()
                .connectString("zk-1:2181")
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> {
                    DriverMock made = new DriverMock(watcher, timeout);
                    drivers.add(made);
                    return made.client;
                }));
    }

    void says(KeeperState state) {
        watcher.process(new WatchedEvent(Watcher.Event.EventType.None, state, null));
    }

    /** All that was asked. */
    void answer(Code code) {
        List<VoidCallback> all = List.copyOf(asked);
        asked.clear();
        all.forEach(each -> each.processResult(code.intValue(), "/", null));
    }

    /** Not by Mockito's timeout: it would hold the monitor that the driver's method needs. */
    void assertEnded() {
        await().atMost(PATIENCE).untilAsserted(() -> verify(client).close());
    }
}
