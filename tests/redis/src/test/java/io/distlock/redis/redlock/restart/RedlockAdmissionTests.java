package io.distlock.redis.redlock.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.redis.script.LuaScript;
import io.distlock.redis.script.RedisKeys;
import io.distlock.redis.script.RedisScripts;
import io.distlock.spi.Ticker;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the other nodes have to say when one is admitted, and to whom it matters. */
class RedlockAdmissionTests {

    /** Is over before a test has lost patience. */
    private static final Duration QUARANTINE = Duration.ofSeconds(2);

    private final List<RedisServer> servers = new ArrayList<>();

    @BeforeEach
    void start() {
        for (int number = 0; number < 3; number++) {
            servers.add(RedisServer.start());
        }
    }

    @AfterEach
    void stop() {
        servers.forEach(RedisServer::close);
    }

    /** The counter is kept by prefix: whoever admits a node has started that of its own prefix alone. */
    @Test
    void tokensGrowThoughAClientWithAnotherPrefixAdmitsTheNode() {
        try (FaultProxy ahead = proxy(0);
                FaultProxy second = proxy(1);
                RedlockTestClient admits = guarded(QUARANTINE, endpoints())) {
            admits.awaitUp();
            long before;
            try (RedlockTestClient client = ofAnotherPrefix(ahead, second)) {
                client.awaitUp();
                long hourAhead =
                        (Ticker.system().wallMillis() + Duration.ofHours(1).toMillis()) * 1_000;
                servers.get(0).probe().command("SET", "app:fence", Long.toString(hourAhead));
                takeAway(second, client);
                before = tokenOf(client);
                assertThat(before).isGreaterThan(hourAhead);
                second.accept();
            }
            servers.get(2).restartEmpty();
            // As if a snapshot had brought it back.
            servers.get(2).probe().command("SET", "app:fence", "1000");
            await().atMost(RedlockTestClient.PATIENCE)
                    .until(() -> servers.get(2).probe().get("lock:fence").isPresent());
            try (RedlockTestClient client = ofAnotherPrefix(ahead, second)) {
                client.awaitUp();
                takeAway(ahead, client);
                assertThat(tokenOf(client)).isGreaterThan(before);
            }
        }
    }

    private RedlockTestClient ofAnotherPrefix(FaultProxy first, FaultProxy second) {
        return RedlockTestClient.unconnected(
                List.of(
                        servers.get(0).endpoint().withPort(first.port()),
                        servers.get(1).endpoint().withPort(second.port()),
                        servers.get(2).endpoint()),
                RedlockOptions.defaults().withKeyPrefix("app").withRestartGuard(QUARANTINE));
    }

    /** Nothing was lost since a client admitted it, of which all but one script is known: the others need not be asked. */
    @Test
    void aClientWithNewScriptsGetsALockWhileANodeIsDown() {
        try (RedlockTestClient first = guarded(QUARANTINE, endpoints())) {
            first.awaitUp();
            servers.get(2).kill();
            LuaScript common = RedisScripts.Redlock.with(
                            Optional.of(QUARANTINE), new RedisKeys("lock", 0), List.of(0, 0, 0))
                    .restore();
            for (RedisServer server : servers.subList(0, 2)) {
                server.probe().scriptFlush();
                server.probe().command("SCRIPT", "LOAD", common.text());
            }
            try (RedlockTestClient second = guarded(QUARANTINE, endpoints())) {
                assertThat(tokenOf(second)).isPositive();
            }
        }
    }

    /** What was begun before a restart may have been under way when the others were asked after a shorter quarantine. */
    @Test
    void aCounterThatWasStartedAfterAShorterQuarantineIsNotReliedOn() {
        try (RedlockTestClient first = guarded(QUARANTINE, endpoints())) {
            first.awaitUp();
            servers.get(2).kill();
            try (RedlockTestClient second = guarded(QUARANTINE.plusSeconds(1), endpoints())) {
                awaitNodes(second, "only 1 answer");
            }
        }
    }

    @Test
    void anEmptiedNodeAsksTheOthersThoughItWasNotRestarted() {
        try (RedlockTestClient first = guarded(QUARANTINE, endpoints())) {
            first.awaitUp();
        }
        servers.get(2).kill();
        for (RedisServer server : servers.subList(0, 2)) {
            server.probe().command("FLUSHALL");
            server.probe().scriptFlush();
        }
        try (RedlockTestClient second = guarded(QUARANTINE, endpoints())) {
            awaitNodes(second, "only 1 answer");
        }
    }

    @Test
    void whyAnotherNodeDoesNotTellItsCountersIsSaid() {
        servers.get(1).probe().command("ACL", "SETUSER", "default", "-get");
        try (RedlockTestClient client = guarded(QUARANTINE, endpoints())) {
            awaitNodes(client, "only 1 answered \\(\\S+: GET failed: NOPERM");
        }
    }

    private static void awaitNodes(RedlockTestClient client, String said) {
        await().atMost(RedlockTestClient.PATIENCE)
                .untilAsserted(() -> assertThat(client.status().details())
                        .extractingByKey("nodes")
                        .asString()
                        .containsPattern(said));
    }

    private FaultProxy proxy(int server) {
        return FaultProxy.to(servers.get(server).host(), servers.get(server).port());
    }

    private List<RedisEndpoint> endpoints() {
        return servers.stream().map(RedisServer::endpoint).toList();
    }

    private static RedlockTestClient guarded(Duration quarantine, List<RedisEndpoint> endpoints) {
        return RedlockTestClient.unconnected(
                endpoints, RedlockOptions.defaults().withRestartGuard(quarantine));
    }

    private static void takeAway(FaultProxy proxy, RedlockTestClient client) {
        proxy.refuse();
        proxy.cut();
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> client.status().details().get("margin").equals(0));
    }

    private static long tokenOf(RedlockTestClient client) {
        try (HeldLock held = client.locks.acquire(
                client.locks.request("orders").withLeaseTime(QUARANTINE).withWaitTime(RedlockTestClient.PATIENCE))) {
            return held.fencingToken().value();
        }
    }
}
