package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.etcd.watch.SharedWatches;
import io.distlock.etcd.watch.WatchedKey;
import io.distlock.spi.ProviderStatus;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdClusterExtension;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.etcd.EtcdServerOptions;
import io.etcd.jetcd.ByteSequence;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A member that is cut off from the others, and whose clients have no other one. */
class EtcdIsolatedMemberTests {

    @RegisterExtension
    static final EtcdClusterExtension etcd =
            EtcdClusterExtension.create(EtcdServerOptions.defaults().withSeverablePeers());

    private static final ByteSequence WATCHED = ByteSequence.from("watched", StandardCharsets.UTF_8);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

    private final LockRuntime runtime = LockRuntime.start();
    private final AtomicInteger woken = new AtomicInteger();
    private EtcdServer lonely;

    @BeforeEach
    void open() {
        lonely = etcd.cluster().followers().get(0);
    }

    @AfterEach
    void close() {
        etcd.cluster().reunite();
        runtime.close();
    }

    @Test
    void watchesOnItBreakSinceItWouldTellOfNothing() {
        try (EtcdConnection connection = LocalEtcd.connection(lonely.endpoint())) {
            LocalEtcd.warmUp(connection);
            try (SharedWatches watches = connection.watches(runtime, CALL_TIMEOUT)) {
                WatchedKey watched = watches.watch(WATCHED, 0, woken::incrementAndGet);
                TestClient.get(watched);
                etcd.cluster().cutOff(lonely);
                await().atMost(TestClient.PATIENCE).until(() -> woken.get() > 0);
                assertThat(watched.isLive()).isFalse();
            }
        }
    }

    @Test
    void whatItRemembersIsTakenForNoAnswer() {
        LockKey key = LockKey.of("remembered");
        EtcdLockOptions options = EtcdLockOptions.defaults().withCallTimeout(CALL_TIMEOUT);
        try (EtcdConnection connection = LocalEtcd.connection(lonely.endpoint());
                EtcdLockProvider provider = new EtcdLockProvider(runtime, connection, options);
                TestClient holder = TestClient.of(lonely.endpoint());
                HeldLock held = holder.locks.acquire(holder.locks.request(key))) {
            LocalEtcd.awaitUp(provider);
            etcd.cluster().cutOff(lonely);
            assertNoAnswer(provider.isCurrent(held.sequencers().get(0)));
            assertNoAnswer(provider.inspect(key));
            assertThat(TestClient.get(provider.check()).state()).isEqualTo(ProviderStatus.State.DOWN);
            etcd.cluster().reunite();
        }
    }

    private static void assertNoAnswer(CompletionStage<?> asked) {
        await().atMost(TestClient.PATIENCE)
                .until(() -> asked.toCompletableFuture().isDone());
        assertThat(asked.toCompletableFuture()).isCompletedExceptionally();
    }
}
