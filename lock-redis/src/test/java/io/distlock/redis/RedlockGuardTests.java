package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockUnavailableException;
import io.distlock.spi.ProviderStatus;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisBinary;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that were just started, and may have forgotten votes. */
class RedlockGuardTests {

    private static final Duration QUARANTINE = Duration.ofSeconds(3);
    private static final RedlockOptions GUARDED = RedlockOptions.defaults().withRestartGuard(QUARANTINE);

    /** The guard knows two ways to tell a server that has been admitted. */
    enum Version {
        FOUND,
        BEFORE_7
    }

    private static List<RedisServer> start(Version version) {
        RedisServerOptions options = version == Version.FOUND
                ? RedisServerOptions.defaults()
                : RedisServerOptions.defaults()
                        .withBinary(RedisBinary.embedded().orElseThrow());
        return IntStream.range(0, 3)
                .mapToObj(number -> RedisServer.start(options))
                .toList();
    }

    static boolean hasOldRedis() {
        return RedisBinary.embedded().isPresent();
    }

    @ParameterizedTest
    @EnumSource
    @EnabledIf("hasOldRedis")
    void brandNewNodesGiveNoVotesForAWhileAndSayForHowLong(Version version) {
        List<RedisServer> servers = start(version);
        try (RedlockTestClient client = guarded(servers)) {
            await().atMost(RedlockTestClient.PATIENCE)
                    .untilAsserted(() -> assertThat(client.status().details())
                            .extractingByKey("nodes")
                            .asString()
                            .contains(
                                    "quarantined for another ",
                                    " s (distributed-lock.redlock.restart-guard.quarantine)")
                            .doesNotContain("down"));
            assertThat(client.status().state()).isEqualTo(ProviderStatus.State.DOWN);
            assertQuarantined(client);
            acquire(client, RedlockTestClient.PATIENCE).close();
            await().atMost(RedlockTestClient.PATIENCE)
                    .until(() -> client.status().state() == ProviderStatus.State.UP);
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    @ParameterizedTest
    @EnumSource
    @EnabledIf("hasOldRedis")
    void aNodeThatWasRestartedGivesNoVoteAndTheOthersGoOn(Version version) {
        List<RedisServer> servers = start(version);
        try (RedlockTestClient client = guarded(servers)) {
            acquire(client, RedlockTestClient.PATIENCE).close();
            client.awaitUp();
            servers.get(0).restart();
            acquire(client, Duration.ofSeconds(1)).close();
            assertThat(servers.get(0).probe().keys()).noneMatch(key -> key.startsWith("lock:{"));
            servers.get(1).restart();
            assertQuarantined(client);
            acquire(client, RedlockTestClient.PATIENCE).close();
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    @Test
    void tokensAreNeverBelowTheTimeOfTheAdmission() {
        List<RedisServer> servers = start(Version.FOUND);
        try (RedlockTestClient client = guarded(servers)) {
            HeldLock held = acquire(client, RedlockTestClient.PATIENCE);
            held.close();
            for (RedisServer server : servers) {
                long base = Long.parseLong(server.probe().get("lock:fence:base").orElseThrow());
                assertThat(held.fencingToken().value()).isGreaterThanOrEqualTo(base);
                // As if a snapshot had brought them back.
                String counter = new RedisKeys("lock", 0)
                        .of(io.distlock.LockKey.of("orders"))
                        .fence();
                server.probe().command("SET", counter, "1000");
            }
            try (HeldLock next = acquire(client, RedlockTestClient.PATIENCE)) {
                assertThat(next.fencingToken().value()).isGreaterThan(1_000_000_000_000_000L);
            }
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    /** Or a server that takes the place of one that was asked would be admitted in its stead. */
    @Test
    void whatAdmitsAServerGoesToNoOther() {
        List<RedisServer> servers = start(Version.FOUND);
        RedisServer server = servers.get(0);
        try (LockRuntime runtime = LockRuntime.start();
                RedisConnections connections = LocalRedis.connections(server.endpoint())) {
            NodeCalls calls = new NodeCalls(
                    connections,
                    RedisLockOptions.defaults(),
                    runtime.ticker(),
                    asked -> new ScriptsOnDemand(asked, List.of()));
            CompletionStage<String> set = calls.server()
                    .onOneConnection(same -> same.info("server")
                            .thenApplyAsync(info -> {
                                server.restart();
                                return info;
                            })
                            .thenCompose(info -> same.set("key", "value")));
            assertThatThrownBy(() -> TestClient.get(set)).hasMessage("no answer");
            assertThat(server.probe().keys()).isEmpty();
            await().until(() -> server.probe().clientCount() == 0);
            calls.close();
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    private static RedlockTestClient guarded(List<RedisServer> servers) {
        List<RedisEndpoint> endpoints =
                servers.stream().map(RedisServer::endpoint).toList();
        return RedlockTestClient.unconnected(endpoints, GUARDED);
    }

    private static void assertQuarantined(RedlockTestClient client) {
        await().atMost(RedlockTestClient.PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> acquire(client, Duration.ZERO))
                        .havingCause()
                        .withMessageContaining("quarantined for another"));
    }

    private static HeldLock acquire(RedlockTestClient client, Duration wait) {
        return client.locks.acquire(client.locks
                .request("orders")
                .withLeaseTime(Duration.ofSeconds(2))
                .withWaitTime(wait));
    }
}
