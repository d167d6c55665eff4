package io.distlock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.redis.LocalRedis;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.RedisLockProvider;
import io.distlock.redis.TestClient;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.spi.Lease;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisCluster;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisSentinel;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The ways to run Redis, and to log in to it. */
class RedisDeploymentTests {

    private static final RedisLockOptions OPTIONS = TestClient.PATIENT;

    @Test
    void aPasswordIsGiven() {
        try (RedisServer server =
                        RedisServer.start(RedisServerOptions.defaults().withPassword("secret"));
                TestClient client = TestClient.of(server.endpoint())) {
            assertLocks(client, client);
        }
    }

    @Test
    void anAclUserLogsIn() {
        try (RedisServer server =
                        RedisServer.start(RedisServerOptions.defaults().withUser("locker", "secret"));
                TestClient client = TestClient.of(server.endpoint())) {
            assertLocks(client, client);
        }
    }

    @Test
    void aUserWhoMayNotPublishCanStillGiveLocksBack() {
        try (RedisServer server =
                        RedisServer.start(RedisServerOptions.defaults().withUser("locker", "secret"));
                TestClient client = TestClient.of(server.endpoint())) {
            server.probe().command("ACL", "SETUSER", "locker", "resetchannels");
            for (LockMode mode : LockMode.values()) {
                HeldLock held =
                        client.locks.acquire(client.locks.request("orders").withMode(mode));
                assertThat(held.release()).isEqualTo(Release.RELEASED);
            }
            server.probe().command("SET", "lock:{orders}", "theirs");
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() ->
                            client.locks.acquire(client.locks.request("orders").withWaitTime(Duration.ofSeconds(5))))
                    .havingCause()
                    .withMessageContaining("SUBSCRIBE failed: NOPERM");
        }
    }

    @Test
    void tlsIsSpoken() {
        try (RedisServer server =
                RedisServer.start(RedisServerOptions.defaults().withTls())) {
            RedisEndpoint endpoint = server.endpoint();
            SslOptions trust = SslOptions.builder()
                    .trustManager(
                            endpoint.certificate().orElseThrow().certificate().toFile())
                    .build();
            LettuceClientConfiguration configuration = LettuceClientConfiguration.builder()
                    .clientOptions(ClientOptions.builder().sslOptions(trust).build())
                    .useSsl()
                    .build();
            try (TestClient client = TestClient.of(LocalRedis.factory(endpoint, 0, configuration), OPTIONS)) {
                assertLocks(client, client);
            }
        }
    }

    @Test
    void theDatabaseIsHonouredAndItsLocksAreItsOwn() {
        try (RedisServer server = RedisServer.start();
                TestClient zero = TestClient.of(server.endpoint());
                TestClient three = TestClient.of(LocalRedis.factory(server.endpoint(), 3), OPTIONS)) {
            assertLocks(three, three);
            try (HeldLock inThree = three.locks.acquire(three.locks.request("same"));
                    HeldLock inZero = zero.locks.acquire(zero.locks.request("same"))) {
                assertThat(inThree.isHeld() && inZero.isHeld()).isTrue();
                assertThat(server.probe().info("keyspace").keySet()).contains("db0", "db3");
            }
        }
    }

    @Test
    void aFixedListOfMasterAndReplicasIsRefused() {
        var servers = new RedisStaticMasterReplicaConfiguration("127.0.0.1", 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisConnections.like(
                        new LettuceConnectionFactory(servers), OPTIONS.callTimeout(), OPTIONS.connectTimeout()))
                .withMessageContaining("master and its replicas");
    }

    @Test
    void aSentinelLeadsToTheMasterAndToTheNextOne() {
        try (RedisSentinel sentinel = RedisSentinel.start()) {
            RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(sentinel.masterName());
            sentinel.sentinels().forEach(each -> configuration.addSentinel(new RedisNode(each.host(), each.port())));
            try (TestClient one = TestClient.of(new LettuceConnectionFactory(configuration), OPTIONS);
                    TestClient other = TestClient.of(new LettuceConnectionFactory(configuration), OPTIONS)) {
                assertLocks(one, other);
                long before = tokenOf(one.locks);
                sentinel.failOver();
                await().atMost(TestClient.PATIENCE).ignoreExceptions().until(() -> tokenOf(one.locks) > before);
                await().atMost(TestClient.PATIENCE).ignoreExceptions().until(() -> tokenOf(other.locks) > before);
                assertLocks(one, other);
            }
        }
    }

    @Test
    void aClusterKeepsEachLockWithAllItsKeysOnOneNode() {
        try (RedisCluster cluster = RedisCluster.start()) {
            RedisClusterConfiguration configuration = new RedisClusterConfiguration();
            cluster.nodes().forEach(each -> configuration.addClusterNode(new RedisNode(each.host(), each.port())));
            try (TestClient one = TestClient.of(new LettuceConnectionFactory(configuration), OPTIONS);
                    TestClient other = TestClient.of(new LettuceConnectionFactory(configuration), OPTIONS)) {
                for (int i = 0; i < 20; i++) {
                    assertLocks(one, other, LockKey.of("orders", "" + i));
                }
                assertThat(cluster.nodes())
                        .allSatisfy(node -> assertThat(node.probe().keys())
                                .isNotEmpty()
                                .allMatch(key -> key.startsWith("lock:fence:{")));
                assertRenewsAcrossSlots(one);
                cluster.nodes().forEach(node -> node.probe().scriptFlush());
                assertLocks(one, other);
            }
        }
    }

    @Test
    void ofEachMasterOfAClusterItIsAskedWhetherItMayEvictLocks() {
        try (RedisCluster cluster = RedisCluster.start()) {
            RedisClusterConfiguration configuration = new RedisClusterConfiguration();
            cluster.nodes().forEach(each -> configuration.addClusterNode(new RedisNode(each.host(), each.port())));
            try (TestClient client = TestClient.of(new LettuceConnectionFactory(configuration), OPTIONS)) {
                assertThat(TestClient.get(client.provider.check()).state()).isEqualTo(ProviderStatus.State.UP);
                assertThat(cluster.nodes()).allSatisfy(node -> {
                    node.probe().command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
                    assertThat(TestClient.get(client.provider.check()).details())
                            .containsEntry("maxmemory-policy", "allkeys-lru")
                            .containsKey("warning");
                    node.probe().command("CONFIG", "SET", "maxmemory-policy", "noeviction");
                });
            }
        }
    }

    @Test
    void replicasCannotBeAskedToAcknowledgeInACluster() {
        assertRefusedInACluster(OPTIONS.withReplicasToAcknowledge(1), "replicas to acknowledge 1");
    }

    private static void assertRefusedInACluster(RedisLockOptions options, String why) {
        var cluster = new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("127.0.0.1:1")));
        try (LockRuntime runtime = LockRuntime.start();
                RedisConnections connections =
                        RedisConnections.like(cluster, options.callTimeout(), options.connectTimeout())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new RedisLockProvider(runtime, connections, options))
                    .withMessageContaining(why);
        }
    }

    private static void assertLocks(TestClient one, TestClient other) {
        assertLocks(one, other, LockKey.of("orders", "42"));
    }

    /** Takes, excludes, hands over by a message and gives back. */
    private static void assertLocks(TestClient one, TestClient other, LockKey key) {
        for (LockMode mode : LockMode.values()) {
            HeldLock held = one.locks.acquire(one.locks.request(key).withMode(mode));
            assertThat(other.locks.inspect(key)).isPresent();
            CompletableFuture<HeldLock> next =
                    other.locks.acquireAsync(other.locks.request(key).withWaitTime(TestClient.PATIENCE));
            assertThat(next).isNotDone();
            assertThat(held.release()).isEqualTo(Release.RELEASED);
            TestClient.get(next).close();
        }
    }

    private static void assertRenewsAcrossSlots(TestClient client) {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            var request =
                    client.request(LockKey.of("many", "" + i), LockMode.EXCLUSIVE, "owner", client.locks.options());
            leases.add(TestClient.get(client.provider.acquire(request))
                    .orElseThrow()
                    .lease());
        }
        Map<Lease, Renewal> answers = new ConcurrentHashMap<>();
        client.provider.renew(leases, answers::put);
        await().atMost(TestClient.PATIENCE).until(() -> answers.size() == leases.size());
        assertThat(answers.values()).containsOnly(Renewal.RENEWED);
        leases.forEach(lease -> TestClient.get(client.provider.release(lease, Duration.ZERO)));
    }

    private static long tokenOf(LockClient locks) {
        try (HeldLock held = locks.acquire(locks.request("token"))) {
            return held.fencingToken().value();
        }
    }
}
