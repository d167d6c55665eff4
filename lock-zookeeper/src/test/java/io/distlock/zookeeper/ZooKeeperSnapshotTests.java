package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that is restored from an older snapshot: what the page on ZooKeeper says of it. */
class ZooKeeperSnapshotTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(LocalZooKeeper.SERVER);

    private final LockKey key = LockKey.of(UUID.randomUUID().toString());
    private LockRuntime runtime;
    private ZooKeeperLockProvider provider;
    private LockClient client;

    @BeforeEach
    void start() {
        runtime = LockRuntime.start();
        provider = LocalZooKeeper.provider(runtime, zooKeeper.server().connectString());
        client = LockClientBuilder.of(provider, runtime)
                // So long that a session outlasts the restart of the server.
                .options(LockOptions.defaults().withWaitTime(PATIENCE).withLeaseTime(Duration.ofMinutes(2)))
                .build();
        acquire().close();
    }

    @AfterEach
    void stop() {
        client.close();
        provider.close();
        runtime.close();
    }

    private HeldLock acquire() {
        return client.acquire(client.request(key));
    }

    @Test
    void aHolderOfWhomTheSnapshotKnowsNothingIsToldAndTokensRepeat() throws Exception {
        zooKeeper.server().backUp();
        for (int grant = 0; grant < 20; grant++) {
            acquire().close();
        }
        HeldLock held = acquire();
        zooKeeper.server().restore();
        assertThat(held.lost()
                        .toCompletableFuture()
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .reason())
                .isEqualTo(LockLoss.Reason.NOT_OWNER);
        try (HeldLock next = acquire()) {
            assertThat(next.fencingToken()).isLessThan(held.fencingToken());
        }
    }

    @Test
    void aLockThatWasReleasedSinceTheSnapshotIsHeldAgainUntilItIsForced() throws Exception {
        HeldLock held = acquire();
        zooKeeper.server().backUp();
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        zooKeeper.server().restore();
        assertThat(client.tryAcquire(client.request(key).withWaitTime(Duration.ofSeconds(3))))
                .isEmpty();
        assertThat(provider.forceRelease(key, held.fencingToken())
                        .toCompletableFuture()
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isEqualTo(Release.RELEASED);
        acquire().close();
    }
}
