package io.distlock.zookeeper;

import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The parts of a provider by a clock that only the test advances, at a real server behind a proxy. */
abstract class SteppedTimeFixture {

    static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(LocalZooKeeper.SERVER);

    final ManualTicker ticker = new ManualTicker();
    final String name = UUID.randomUUID().toString();
    final LockKey key = LockKey.of(name);
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private volatile Runnable whenScheduling = () -> {};
    LockRuntime runtime;
    FaultProxy proxy;
    ZooKeeperSessions sessions;
    ZooKeeperQueues queues;

    @BeforeEach
    void open() {
        runtime = new LockRuntime(ticker, new LockScheduler() {

            @Override
            public Scheduled schedule(Runnable task, Duration delay) {
                whenScheduling.run();
                return scheduler.schedule(task, delay);
            }

            @Override
            public void close() {
                scheduler.close();
            }
        });
        proxy = FaultProxy.to("127.0.0.1", zooKeeper.server().port());
        ZooKeeperClients clients = new ZooKeeperClients(
                CuratorFrameworkFactory.builder().connectString(proxy.host() + ":" + proxy.port()));
        sessions = new ZooKeeperSessions(runtime, LocalZooKeeper.OPTIONS, clients);
        queues = new ZooKeeperQueues(runtime, LocalZooKeeper.OPTIONS, sessions);
    }

    @AfterEach
    void close() {
        whenScheduling = () -> {};
        proxy.pass();
        proxy.accept();
        queues.close();
        sessions.close(PATIENCE);
        runtime.close();
        proxy.close();
    }

    static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** Called whenever something is scheduled, on the thread that does. */
    void whenScheduling(Runnable event) {
        whenScheduling = event;
    }

    ZooKeeperSession usual() {
        return get(sessions.usual());
    }

    /** Half a second at a time, with all confirmations of the session answered. */
    void pass(Duration time, ZooKeeperSession session) {
        for (long step = 0; step < time.toMillis(); step += 500) {
            ticker.advance(Duration.ofMillis(500));
            get(session.calls().sync());
        }
    }

    /** So long after the last confirmation of the usual session that its locks would begin more than a second ago. */
    void letTheConfirmationAge() {
        usual();
        proxy.freeze();
        ticker.advance(Duration.ofSeconds(9));
        proxy.thaw();
        awaitConnection();
    }

    void awaitConnection() {
        await().atMost(PATIENCE)
                .until(() -> get(sessions.usual()
                        .thenCompose(session -> session.calls().sync())
                        .handle((answer, failure) -> failure == null)));
    }

    /** The names of the nodes in a lock's queue. */
    List<String> nodes(String queue) {
        return get(usual().calls().list(queue).exceptionally(gone -> List.of()));
    }
}
