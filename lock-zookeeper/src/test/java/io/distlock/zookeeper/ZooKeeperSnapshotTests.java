package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that is restored from an older snapshot turns away clients that have seen more, as the page on ZooKeeper says. */
class ZooKeeperSnapshotTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(LocalZooKeeper.SERVER);

    private final LockKey key = LockKey.of(UUID.randomUUID().toString());
    private final List<AutoCloseable> open = new ArrayList<>();
    private LockRuntime runtime;
    private LockClient client;

    @BeforeEach
    void start() {
        runtime = LockRuntime.start();
        client = newClient();
        zooKeeper.server().backUp();
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        runtime.close();
    }

    private LockClient newClient() {
        ZooKeeperLockProvider provider =
                LocalZooKeeper.provider(runtime, zooKeeper.server().connectString());
        LockClient made = LockClientBuilder.of(provider, runtime)
                .options(LockOptions.defaults().withWaitTime(PATIENCE).withLeaseTime(Duration.ofSeconds(6)))
                .build();
        open.add(made);
        open.add(provider);
        return made;
    }

    private static HeldLock acquire(LockClient by, LockKey key) {
        return by.acquire(by.request(key));
    }

    private void restore() {
        zooKeeper.server().restore();
        await().atMost(PATIENCE).until(() -> zooKeeper.server().log().contains("has seen zxid"));
    }

    /** The server knows nothing of it any more, so another may have the lock meanwhile, with a smaller token. */
    @Test
    void aHolderThatTheSnapshotDoesNotKnowBelievesUntilItsTimeIsOver() throws Exception {
        for (int grant = 0; grant < 20; grant++) {
            acquire(client, key).close();
        }
        HeldLock held = acquire(client, key);
        restore();
        try (HeldLock other = acquire(newClient(), key)) {
            assertThat(other.fencingToken()).isLessThan(held.fencingToken());
        }
        LockLoss loss = held.lost().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(loss.reason()).isEqualTo(LockLoss.Reason.EXPIRED);
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void theProcessGoesOnInNewSessionsOnceItsOldOnesAreOver() throws Exception {
        LockKey other = LockKey.of(key.name(), "other");
        HeldLock held = acquire(client, key);
        LockClient waiting = newClient();
        CompletableFuture<HeldLock> waiter = waiting.acquireAsync(waiting.request(key));
        acquire(waiting, other).close();
        restore();
        try (HeldLock next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(next.isHeld()).isTrue();
        }
        held.lost().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        acquire(client, key).close();
    }
}
