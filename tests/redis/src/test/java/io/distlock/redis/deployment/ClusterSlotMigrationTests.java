package io.distlock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.redis.TestClient;
import io.distlock.redis.script.RedisKeys;
import io.distlock.spi.Lease;
import io.distlock.spi.Renewal;
import io.distlock.test.redis.RedisCluster;
import io.distlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The keys of a slot move from one node of a cluster to another, one by one: a script with several keys runs on neither.
 * What is held is renewed and given back all the same.
 */
class ClusterSlotMigrationTests {

    private static final LockKey STAYS = LockKey.of("stays");
    private static final LockKey GOES = inTheSlotOf(STAYS);
    private static final String SLOT =
            String.valueOf(new RedisKeys("lock", 0).of(STAYS).slot());

    static RedisCluster cluster;
    static TestClient client;

    private RedisServer from;
    private RedisServer to;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        RedisClusterConfiguration configuration = new RedisClusterConfiguration();
        cluster.nodes().forEach(each -> configuration.addClusterNode(new RedisNode(each.host(), each.port())));
        client = TestClient.of(new LettuceConnectionFactory(configuration), TestClient.PATIENT);
    }

    @AfterAll
    static void stop() {
        client.close();
        cluster.close();
    }

    @BeforeEach
    void find() {
        from = cluster.nodeOf("lock:{stays}");
        to = cluster.nodes().stream().filter(node -> node != from).findFirst().orElseThrow();
        // As one that has just joined.
        to.probe().scriptFlush();
    }

    @AfterEach
    void endTheMigration() {
        cluster.nodes().forEach(node -> node.probe().command("CLUSTER", "SETSLOT", SLOT, "STABLE"));
        cluster.nodes().forEach(node -> node.probe().flushAll());
    }

    @ParameterizedTest
    @EnumSource
    void whatIsHeldIsRenewedAndGivenBackWhereverItIs(LockMode mode) {
        Lease stays = acquire(STAYS, mode);
        Lease goes = acquire(GOES, mode);
        migrate(mode);
        Map<Lease, Renewal> answers = new ConcurrentHashMap<>();
        client.provider.renew(List.of(stays, goes), answers::put);
        await().atMost(TestClient.PATIENCE).until(() -> answers.size() == 2);
        assertThat(answers.values()).containsOnly(Renewal.RENEWED);
        assertThat(release(stays, Duration.ZERO)).isEqualTo(Release.RELEASED);
        assertThat(release(goes, Duration.ZERO)).isEqualTo(Release.RELEASED);
        assertThat(from.probe().keys()).noneMatch(key -> key.startsWith("lock:{"));
        assertThat(to.probe().keys()).noneMatch(key -> key.startsWith("lock:{"));
    }

    @ParameterizedTest
    @EnumSource
    void aMinimumHoldTimeIsKept(LockMode mode) {
        Lease stays = acquire(STAYS, mode);
        Lease goes = acquire(GOES, mode);
        migrate(mode);
        assertThat(release(stays, Duration.ofSeconds(30))).isEqualTo(Release.RELEASED);
        assertThat(release(goes, Duration.ofSeconds(30))).isEqualTo(Release.RELEASED);
        assertThat(from.probe().ttlMillis(key(stays)).orElseThrow()).isBetween(1L, 60_000L);
        to.probe().command("ASKING");
        assertThat(to.probe().ttlMillis(key(goes)).orElseThrow()).isBetween(1L, 60_000L);
    }

    @Test
    void whatIsGoneIsNotOurs() {
        Lease stays = acquire(STAYS, LockMode.EXCLUSIVE);
        from.probe().command("DEL", key(stays));
        migrate(LockMode.EXCLUSIVE);
        assertThat(release(stays, Duration.ZERO)).isEqualTo(Release.NOT_OWNER);
    }

    @Test
    void aFreeLockIsHadAfterTheMigration() {
        migrate(LockMode.EXCLUSIVE);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.locks.acquire(client.locks.request(STAYS)))
                .havingCause()
                .withMessageContaining("TRYAGAIN");
        endTheMigration();
        client.locks.acquire(client.locks.request(STAYS)).close();
    }

    /** The key of the one lock, and half of the way. */
    private void migrate(LockMode mode) {
        to.probe().command("CLUSTER", "SETSLOT", SLOT, "IMPORTING", id(from));
        from.probe().command("CLUSTER", "SETSLOT", SLOT, "MIGRATING", id(to));
        String key = key(mode, GOES);
        from.probe().command("MIGRATE", to.host(), String.valueOf(to.port()), key, "0", "5000");
    }

    private static String id(RedisServer node) {
        return node.probe().command("CLUSTER", "MYID").text();
    }

    private static Release release(Lease lease, Duration keepFor) {
        return TestClient.get(client.provider.release(lease, keepFor));
    }

    private static String key(Lease lease) {
        return key(lease.mode(), lease.key());
    }

    private static String key(LockMode mode, LockKey key) {
        RedisKeys.Names names = new RedisKeys("lock", 0).of(key);
        return mode == LockMode.SHARED ? names.readers() : names.lock();
    }

    private static Lease acquire(LockKey key, LockMode mode) {
        LockOptions options = LockOptions.defaults().withWaitTime(Duration.ZERO).withLeaseTime(Duration.ofSeconds(60));
        return TestClient.get(client.provider.acquire(client.request(key, mode, "owner-" + key, options)))
                .orElseThrow()
                .lease();
    }

    private static LockKey inTheSlotOf(LockKey other) {
        RedisKeys keys = new RedisKeys("lock", 0);
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> LockKey.of("goes" + i))
                .filter(key -> keys.of(key).slot() == keys.of(other).slot())
                .findFirst()
                .orElseThrow();
    }
}
