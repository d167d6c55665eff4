package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockUnavailableException;
import io.distlock.redis.TestClient;
import io.distlock.spi.Ticker;
import io.distlock.test.redis.RedisBinary;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class RestartGuardTests {

    private static final Duration QUARANTINE = Duration.ofSeconds(2);

    private RedisServer redis;

    @BeforeEach
    void start() {
        redis = RedisServer.start();
        // The bundled server is older; the guard refuses it, as the last test shows.
        assumeThat(redis.probe().info("server").get("redis_version")).doesNotStartWith("6.");
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void aServerSeenForTheFirstTimeGrantsNothing() {
        try (TestClient client = guarded(Duration.ofMinutes(10))) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> acquire(client, Duration.ZERO))
                    .havingCause()
                    .withMessageMatching("(?s).*quarantined for another (59\\d|600) s.*");
        }
    }

    @Test
    void aServerGrantsOnceItsQuarantineIsOver() {
        long seen = Ticker.system().nanos();
        try (TestClient client = guarded(QUARANTINE)) {
            acquire(client, TestClient.PATIENCE).close();
            assertThat(Duration.ofNanos(Ticker.system().nanos() - seen)).isGreaterThanOrEqualTo(QUARANTINE);
        }
    }

    @Test
    void aRestartQuarantinesAgain() {
        try (TestClient client = guarded(QUARANTINE)) {
            acquire(client, TestClient.PATIENCE).close();
            redis.restart();
            client.awaitUp();
            assertQuarantined(client);
            acquire(client, TestClient.PATIENCE).close();
        }
    }

    /** It has forgotten what the master in between did not know. */
    @Test
    void aMasterThatWasAReplicaInBetweenIsQuarantinedAgain() {
        try (TestClient client = guarded(QUARANTINE);
                RedisServer other = RedisServer.start()) {
            acquire(client, TestClient.PATIENCE).close();
            redis.probe().command("REPLICAOF", other.host(), Integer.toString(other.port()));
            redis.probe().command("REPLICAOF", "NO", "ONE");
            assertQuarantined(client);
            acquire(client, TestClient.PATIENCE).close();
        }
    }

    @Test
    void flushedScriptsOfAServerThatWasAdmittedAreLoadedAgainUnseen() {
        try (TestClient client = guarded(QUARANTINE)) {
            acquire(client, TestClient.PATIENCE).close();
            redis.probe().scriptFlush();
            acquire(client, Duration.ZERO).close();
        }
    }

    @Test
    void whoComesToAnAdmittedServerNeedNotWait() {
        try (TestClient first = guarded(QUARANTINE)) {
            acquire(first, TestClient.PATIENCE).close();
            try (TestClient second = guarded(QUARANTINE)) {
                acquire(second, Duration.ZERO).close();
                redis.probe().scriptFlush();
                acquire(second, Duration.ZERO).close();
            }
        }
    }

    @Test
    void clientsThatDisagreeAboutTheQuarantineDoNotAdmitForEachOther() {
        try (TestClient first = guarded(QUARANTINE)) {
            acquire(first, TestClient.PATIENCE).close();
            try (TestClient second = guarded(Duration.ofSeconds(30))) {
                assertQuarantined(second);
            }
        }
    }

    @Test
    void aLockThatCouldOutlastTheQuarantineIsRefused() {
        try (TestClient client = guarded(QUARANTINE)) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> client.locks.acquire(client.locks.request("orders")))
                    .withMessageContaining("lengthen the quarantine, or shorten the lease time and minimum hold time");
        }
    }

    static boolean hasOldRedis() {
        return RedisBinary.embedded().isPresent();
    }

    /** There, scripts outlive a failover: replicas get them. */
    @Test
    @EnabledIf("hasOldRedis")
    void redisBefore7IsRefused() {
        try (RedisServer old = RedisServer.start(RedisServerOptions.defaults()
                        .withBinary(RedisBinary.embedded().orElseThrow()));
                TestClient client = TestClient.of(old.endpoint(), TestClient.PATIENT.withRestartGuard(QUARANTINE))) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> acquire(client, Duration.ZERO))
                    .havingCause()
                    .withMessageContaining("needs Redis 7");
        }
    }

    private TestClient guarded(Duration quarantine) {
        return TestClient.of(redis.endpoint(), TestClient.PATIENT.withRestartGuard(quarantine));
    }

    private static void assertQuarantined(TestClient client) {
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> acquire(client, Duration.ZERO))
                        .havingCause()
                        .withMessageContaining("quarantined for another"));
    }

    private static HeldLock acquire(TestClient client, Duration wait) {
        return client.locks.acquire(
                client.locks.request("orders").withLeaseTime(QUARANTINE).withWaitTime(wait));
    }
}
