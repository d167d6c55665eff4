package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.Release;
import io.distlock.redis.TestClient;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.support.TryLockStore;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisSharedTests {

    private static final LockKey KEY = LockKey.of("report");
    private static final String READERS = "lock:{report}:readers";
    private static final String WAITING = "lock:{report}:waiting";

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    static TestClient one;
    static TestClient other;

    @BeforeAll
    static void connect() {
        one = TestClient.of(redis.server().endpoint());
        other = TestClient.of(redis.server().endpoint());
    }

    @AfterAll
    static void disconnect() {
        one.close();
        other.close();
    }

    @Test
    void readersArePutIntoOneSetThatExpiresWithTheLast(RedisProbe probe) {
        HeldLock shorter = one.locks.acquire(reading(one).withLeaseTime(Duration.ofSeconds(15)));
        HeldLock longer = other.locks.acquire(reading(other).withLeaseTime(Duration.ofSeconds(30)));
        assertThat(probe.command("ZCARD", READERS).number()).isEqualTo(2);
        assertThat(probe.ttlMillis(READERS).orElseThrow()).isBetween(15_001L, 30_000L);
        shorter.close();
        assertThat(probe.command("ZCARD", READERS).number()).isOne();
        longer.close();
        assertThat(probe.keys()).doesNotContain(READERS);
    }

    /** A set that is left without a time to live must not be ended by a reader with a shorter lease. */
    @Test
    void aSetWithoutATimeToLiveComesToLastAsLongAsItsLastReader(RedisProbe probe) {
        read(Duration.ofSeconds(60));
        probe.command("PERSIST", READERS);
        Lease shorter = read(Duration.ofSeconds(15));
        assertThat(probe.ttlMillis(READERS).orElseThrow()).isBetween(15_001L, 60_000L);
        probe.command("PERSIST", READERS);
        CompletableFuture<Renewal> renewed = new CompletableFuture<>();
        one.provider.renew(List.of(shorter), (lease, renewal) -> renewed.complete(renewal));
        assertThat(TestClient.get(renewed)).isEqualTo(Renewal.RENEWED);
        assertThat(probe.ttlMillis(READERS).orElseThrow()).isBetween(15_001L, 60_000L);
        probe.command("PERSIST", READERS);
        assertThat(TestClient.get(one.provider.release(shorter, Duration.ofSeconds(5))))
                .isEqualTo(Release.RELEASED);
        assertThat(probe.ttlMillis(READERS).orElseThrow()).isBetween(15_001L, 60_000L);
    }

    private static Lease read(Duration lease) {
        var options = LockOptions.defaults().withLeaseTime(lease);
        return TestClient.get(one.provider.acquire(one.request(KEY, LockMode.SHARED, "reader-" + lease, options)))
                .orElseThrow()
                .lease();
    }

    @Test
    void aReaderIsGivenBackByItsTokenAndNotByItsOwnerAlone(RedisProbe probe) {
        Lease lease = read(Duration.ofSeconds(60));
        probe.command("DEL", READERS);
        probe.command("ZADD", READERS, "9999999999999", lease.owner() + ":1");
        assertThat(TestClient.get(one.provider.release(lease, Duration.ZERO))).isEqualTo(Release.NOT_OWNER);
        assertThat(probe.command("ZCARD", READERS).number()).isOne();
    }

    @Test
    void aReaderThatHasExpiredIsNotGivenBackNorKept(RedisProbe probe) {
        Lease lease = read(Duration.ofSeconds(60));
        probe.command("ZADD", READERS, "1000", lease.owner() + ':' + lease.token());
        assertThat(TestClient.get(one.provider.release(lease, Duration.ofSeconds(60))))
                .isEqualTo(Release.NOT_OWNER);
        assertThat(probe.keys()).doesNotContain(READERS);
    }

    @Test
    void aReaderThatHasExpiredIsNoObstacle(RedisProbe probe) {
        probe.command("ZADD", READERS, "1000", "dead:1");
        one.locks.acquire(one.locks.request(KEY)).close();
        assertThat(probe.keys()).doesNotContain(READERS);
    }

    @Test
    void aReaderAskingAgainGetsTheSameGrant(RedisProbe probe) {
        var request = one.request(KEY, LockMode.SHARED, "reader-1", LockOptions.defaults());
        RedisStore node = node();
        Grant first = granted(node, request, false);
        Grant again = granted(node, request, true);
        assertThat(again.lease().token()).isEqualTo(first.lease().token());
        assertThat(probe.command("ZCARD", READERS).number()).isOne();
    }

    @Test
    void aWriterThatWaitsKeepsNewReadersOutUntilItHasBeenServed(RedisProbe probe) {
        HeldLock reader = one.locks.acquire(reading(one));
        CompletableFuture<HeldLock> writer =
                other.locks.acquireAsync(other.locks.request(KEY).withWaitTime(TestClient.PATIENCE));
        await().until(() -> probe.get(WAITING).isPresent());
        assertThat(one.locks.tryAcquire(reading(one))).isEmpty();
        reader.close();
        TestClient.get(writer).close();
        assertThat(probe.keys()).doesNotContain(WAITING);
        one.locks.acquire(reading(one)).close();
    }

    @Test
    void aWriterThatGivesUpLetsReadersPass(RedisProbe probe) {
        HeldLock reader = one.locks.acquire(reading(one));
        CompletableFuture<HeldLock> writer =
                other.locks.acquireAsync(other.locks.request(KEY).withWaitTime(Duration.ofHours(1)));
        await().until(() -> probe.get(WAITING).isPresent());
        CompletableFuture<HeldLock> second = one.locks.acquireAsync(reading(one).withWaitTime(Duration.ofHours(1)));
        // Only its withdrawal ends it.
        probe.command("PERSIST", WAITING);
        writer.cancel(true);
        TestClient.get(second).close();
        reader.close();
    }

    @Test
    void theClaimOfAWriterLastsForSecondsAndIsRefreshedWhileItWaits(RedisProbe probe) {
        try (HeldLock reader = one.locks.acquire(reading(one))) {
            CompletableFuture<HeldLock> writer =
                    other.locks.acquireAsync(other.locks.request(KEY).withWaitTime(Duration.ofHours(1)));
            await().until(() -> probe.get(WAITING).isPresent());
            AtomicLong left = new AtomicLong(6_000);
            assertThat(probe.ttlMillis(WAITING).orElseThrow()).isLessThanOrEqualTo(left.get());
            await().atMost(TestClient.PATIENCE).until(() -> {
                long now = probe.ttlMillis(WAITING).orElse(0);
                return now > left.getAndSet(now);
            });
            assertThat(reader.isHeld()).isTrue();
            writer.cancel(true);
        }
    }

    @Test
    void theClaimOfAnAttemptThatDoesNotWaitIsNeverMade(RedisProbe probe) {
        try (HeldLock reader = one.locks.acquire(reading(one))) {
            assertThat(other.locks.tryAcquire(other.locks.request(KEY))).isEmpty();
            assertThat(probe.keys()).doesNotContain(WAITING);
            assertThat(reader.isHeld()).isTrue();
        }
    }

    @Test
    void aMinimumHoldTimeOfAReaderKeepsWritersOut(RedisProbe probe) {
        one.locks.acquire(reading(one).withMinHoldTime(Duration.ofSeconds(10))).close();
        assertThat(other.locks.tryAcquire(other.locks.request(KEY))).isEmpty();
        assertThat(probe.command("ZRANGE", READERS, "0", "-1").texts())
                .singleElement()
                .asString()
                .startsWith("kept:");
        other.locks
                .acquire(other.locks.request(KEY).withWaitTime(TestClient.PATIENCE))
                .close();
    }

    private static LockRequest reading(TestClient client) {
        return client.locks.request(KEY).withMode(LockMode.SHARED);
    }

    private static RedisStore node() {
        RedisScripts scripts = RedisScripts.single();
        Duration timeout = TestClient.PATIENT.callTimeout();
        DeploymentCalls calls =
                new DeploymentCalls(one.connections, timeout, 0, scripts.all(), Optional.empty(), one.runtime);
        return new RedisStore(calls, new RedisKeys("lock", 0), scripts, one.runtime.ticker());
    }

    private static Grant granted(RedisStore node, LeaseRequest request, boolean again) {
        var attempt = TestClient.get(node.attempt(request, again));
        return ((TryLockStore.Result.Granted) attempt).grant();
    }
}
