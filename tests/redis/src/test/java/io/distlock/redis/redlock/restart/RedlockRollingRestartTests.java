package io.distlock.redis.redlock.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.redis.script.RedisKeys;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** As for an upgrade: one node after the other is restarted without what it had, each once the one before votes again. */
class RedlockRollingRestartTests {

    private static final LockKey KEY = LockKey.of("orders");

    /** A renewal comes every four seconds, and one that comes eight seconds late is not too late. */
    private static final Duration LEASE = Duration.ofSeconds(12);

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    @BeforeEach
    void needsRedis7() {
        // The bundled server is older, and guarded in another way: that is for RedlockGuardTests.
        assumeThat(nodes.get(0).probe().info("server").get("redis_version")).doesNotStartWith("6.");
    }

    @Test
    void aLockIsKeptAndNobodyElseGetsIt() {
        RedlockOptions options = RedlockTestClient.PATIENT.withRestartGuard(LEASE);
        try (RedlockTestClient holder = RedlockTestClient.of(RedlockTestClient.endpoints(nodes), options);
                RedlockTestClient other = RedlockTestClient.of(RedlockTestClient.endpoints(nodes), options)) {
            HeldLock held = holder.locks.acquire(
                    holder.locks.request(KEY).withLeaseTime(LEASE).withWaitTime(RedlockTestClient.PATIENCE));
            String token = ":" + held.fencingToken().value();
            for (RedisServer node : nodes.all()) {
                node.restartEmpty();
                // Where a vote comes too late, nobody is let in either.
                await().atMost(RedlockTestClient.PATIENCE)
                        .ignoreException(LockUnavailableException.class)
                        .until(() -> {
                            assertThat(other.locks.tryAcquire(
                                            other.locks.request(KEY).withLeaseTime(LEASE)))
                                    .isEmpty();
                            // A renewal puts it back, once the quarantine is over.
                            return node.probe()
                                    .get(new RedisKeys("lock", 0).of(KEY).lock())
                                    .filter(value -> value.endsWith(token))
                                    .isPresent();
                        });
                holder.awaitUp();
                other.awaitUp();
            }
            assertThat(held.isHeld()).isTrue();
            assertThat(held.release()).isEqualTo(Release.RELEASED);
        }
    }
}
