package io.distlock.redis.redlock.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.redis.script.RedisKeys;
import io.distlock.redis.script.RedisScripts;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Ticker;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisBinary;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Nodes that were just started, and may have forgotten votes. */
@ExtendWith(OutputCaptureExtension.class)
class RedlockGuardTests {

    /** Is over before a test has lost patience. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    /** As long as the shortest quarantine allows. */
    private static final Duration LEASE = SHORT;

    /** Is not over while a test runs, on however slow a machine. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private static final String COUNTER = "lock:fence";

    private final List<RedisServer> servers = new ArrayList<>();
    private long started;

    @BeforeEach
    void start() {
        started = Ticker.system().nanos();
        for (int number = 0; number < 3; number++) {
            servers.add(RedisServer.start());
        }
        // The guard refuses older ones.
        assumeThat(servers.get(0).probe().info("server").get("redis_version")).doesNotStartWith("6.");
    }

    @AfterEach
    void stop() {
        servers.forEach(RedisServer::close);
    }

    @Test
    void brandNewNodesGiveNoVotesAndSayForHowLong(CapturedOutput output) {
        try (RedlockTestClient client = guarded(LONG)) {
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
        }
        assertThat(output)
                .containsPattern("is new to this client .* quarantined for another (600|59\\d|58\\d) s.*"
                        + "distributed-lock\\.redlock\\.restart-guard\\.quarantine \\(600 s\\)");
    }

    @Test
    void brandNewNodesVoteOnceTheirQuarantineIsOver() {
        try (RedlockTestClient client = guarded(SHORT)) {
            acquire(client, RedlockTestClient.PATIENCE).close();
            assertThat(Duration.ofNanos(Ticker.system().nanos() - started)).isGreaterThanOrEqualTo(SHORT);
            client.awaitUp();
        }
    }

    @Test
    void aNodeThatWasRestartedGivesNoVoteAndTheOthersGoOn() {
        servers.forEach(server -> admit(server, LONG));
        try (RedlockTestClient client = guarded(LONG)) {
            acquire(client, RedlockTestClient.PATIENCE).close();
            servers.get(0).restart();
            LockRequest longer = client.locks.request("orders").withWaitTime(RedlockTestClient.PATIENCE);
            try (HeldLock held = client.locks.acquire(longer)) {
                assertThat(held.isHeld()).isTrue();
                assertThat(servers.get(0).probe().keys()).isEmpty();
            }
            servers.get(1).restart();
            assertQuarantined(client);
        }
    }

    static boolean hasOldRedis() {
        return RedisBinary.embedded().isPresent();
    }

    /** There, scripts may come back with a snapshot. */
    @Test
    @EnabledIf("hasOldRedis")
    void nodesOlderThanRedis7AreRefusedWithTheCure(CapturedOutput output) {
        RedisServerOptions old =
                RedisServerOptions.defaults().withBinary(RedisBinary.embedded().orElseThrow());
        List<RedisServer> olds =
                Stream.generate(() -> RedisServer.start(old)).limit(3).toList();
        String refusal = "and the restart guard needs 7 or newer: upgrade it, or set"
                + " distributed-lock.redlock.restart-guard.enabled to false";
        try (RedlockTestClient client =
                guarded(SHORT, olds.stream().map(RedisServer::endpoint).toList())) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> acquire(client, Duration.ZERO))
                    .havingCause()
                    .withMessageContaining("is Redis 6.2")
                    .withMessageContaining(refusal);
            assertThat(client.status().details())
                    .extractingByKey("nodes")
                    .asString()
                    .contains(refusal);
        } finally {
            olds.forEach(RedisServer::close);
        }
        assertThat(output).contains(refusal);
    }

    @Test
    void tokensAreNeverBelowTheTimeOfTheAdmission() {
        long seconds = Ticker.system().wallMillis() / 1_000 - 1;
        try (RedlockTestClient client = guarded(SHORT)) {
            client.awaitUp();
            assertThat(tokenOf(client)).isGreaterThan(seconds * 1_000_000);
        }
    }

    /** The one that is ahead takes part in the first grant alone, the one that forgot in both. */
    @Test
    void tokensGrowThoughANodeIsAnHourAheadAndAnotherForgets() {
        try (FaultProxy ahead = proxy(0);
                FaultProxy second = proxy(1);
                RedlockTestClient client = guarded(
                        SHORT,
                        List.of(
                                servers.get(0).endpoint().withPort(ahead.port()),
                                servers.get(1).endpoint().withPort(second.port()),
                                servers.get(2).endpoint()))) {
            client.awaitUp();
            long hourAhead = (Ticker.system().wallMillis() + Duration.ofHours(1).toMillis()) * 1_000;
            servers.get(0).probe().command("SET", COUNTER, Long.toString(hourAhead));
            takeAway(second, client);
            long before = tokenOf(client);
            assertThat(before).isGreaterThan(hourAhead);
            second.accept();
            client.awaitUp();
            servers.get(2).restartEmpty();
            await().atMost(RedlockTestClient.PATIENCE)
                    .until(() -> client.status().state() != ProviderStatus.State.UP);
            client.awaitUp();
            takeAway(ahead, client);
            assertThat(tokenOf(client)).isGreaterThan(before);
        }
    }

    /** It is not restarted: it loses all of its keys, or its counter alone, by hand or by eviction. */
    @ParameterizedTest
    @ValueSource(strings = {"FLUSHALL", "DEL " + COUNTER})
    void tokensGrowThoughANodeIsAnHourAheadAndAnotherLosesItsCounter(String loss) {
        try (FaultProxy ahead = proxy(0);
                FaultProxy second = proxy(1);
                RedlockTestClient client = guarded(
                        SHORT,
                        List.of(
                                servers.get(0).endpoint().withPort(ahead.port()),
                                servers.get(1).endpoint().withPort(second.port()),
                                servers.get(2).endpoint()))) {
            client.awaitUp();
            long hourAhead = hourAhead();
            count(servers.get(0), hourAhead);
            takeAway(second, client);
            long before = tokenOf(client);
            assertThat(before).isGreaterThan(hourAhead);
            second.accept();
            client.awaitUp();
            servers.get(2).probe().command(loss.split(" "));
            takeAway(ahead, client);
            // Nobody who is left knows the last token.
            try (HeldLock held = acquire(client, Duration.ZERO)) {
                assertThat(held.fencingToken().value()).isGreaterThan(before);
            } catch (LockUnavailableException tooFewVote) {
                assertThat(client.status().state()).isEqualTo(ProviderStatus.State.DOWN);
            }
            ahead.accept();
            client.awaitUp();
            takeAway(ahead, client);
            assertThat(tokenOf(client)).isGreaterThan(before);
        }
    }

    /** Even if its scripts are flushed, which alone would lose nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNodeThatHasLostItsCounterIsQuarantinedLikeOneThatWasRestarted(boolean flushScripts) {
        try (RedlockTestClient client = guarded(SHORT)) {
            client.awaitUp();
            RedisProbe node = servers.get(2).probe();
            long lost = Ticker.system().nanos();
            node.command("FLUSHALL");
            if (flushScripts) {
                node.scriptFlush();
            }
            await().atMost(RedlockTestClient.PATIENCE)
                    .until(() -> client.status().state() == ProviderStatus.State.UP
                            && node.get(COUNTER).isPresent());
            assertThat(Duration.ofNanos(Ticker.system().nanos() - lost)).isGreaterThanOrEqualTo(SHORT);
        }
    }

    /** It may be needed next. */
    @Test
    void aRestartedNodeIsAdmittedWhenItsQuarantineIsOverThoughNobodyAsks() {
        try (RedlockTestClient client = guarded(SHORT)) {
            acquire(client, RedlockTestClient.PATIENCE).close();
            client.awaitUp();
            servers.get(2).restartEmpty();
            await().atMost(RedlockTestClient.PATIENCE)
                    .until(() -> servers.get(2).probe().keys().contains(COUNTER));
            servers.get(1).freeze();
            acquire(client, RedlockTestClient.PATIENCE).close();
            servers.get(1).thaw();
        }
    }

    private static long hourAhead() {
        return (Ticker.system().wallMillis() + Duration.ofHours(1).toMillis()) * 1_000;
    }

    private static void count(RedisServer server, long counter) {
        server.probe().command("SET", COUNTER, Long.toString(counter));
    }

    @Test
    void aClientWithAnotherQuarantineDoesNotUndercutACounter() {
        long hourAhead = hourAhead();
        try (RedlockTestClient first = guarded(SHORT);
                RedlockTestClient second = guarded(SHORT.plusSeconds(1))) {
            first.awaitUp();
            count(servers.get(0), hourAhead);
            second.awaitUp();
            assertThat(Long.parseLong(RedlockTestClient.counter(servers.get(0).probe())))
                    .isGreaterThanOrEqualTo(hourAhead);
        }
    }

    /** Whoever has seen the tokens that it may have lost may be among those that are away. */
    @Test
    void aNodeThatMayHaveLostItsCountersGivesNoVotesWhileTooFewOfTheOthersAnswer() {
        servers.get(2).kill();
        try (RedlockTestClient client = guarded(SHORT)) {
            await().atMost(RedlockTestClient.PATIENCE)
                    .untilAsserted(() -> assertThat(client.status().details())
                            .extractingByKey("nodes")
                            .asString()
                            .contains("does not vote until 2 of the other nodes report theirs: only 1 answered"));
            servers.get(2).restartEmpty();
            client.awaitUp();
            acquire(client, RedlockTestClient.PATIENCE).close();
        }
    }

    private FaultProxy proxy(int server) {
        return FaultProxy.to(servers.get(server).host(), servers.get(server).port());
    }

    private static void takeAway(FaultProxy proxy, RedlockTestClient client) {
        proxy.refuse();
        proxy.cut();
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> !client.status().details().get("margin").equals(1));
    }

    private static long tokenOf(RedlockTestClient client) {
        try (HeldLock held = acquire(client, RedlockTestClient.PATIENCE)) {
            return held.fencingToken().value();
        }
    }

    /** As if somebody had waited for it. */
    private static void admit(RedisServer server, Duration quarantine) {
        count(server, 1_000);
        RedisScripts.Redlock.with(Optional.of(quarantine), new RedisKeys("lock", 0), List.of(0, 0, 0))
                .all()
                .forEach(script -> server.probe().command("SCRIPT", "LOAD", script.text()));
    }

    private RedlockTestClient guarded(Duration quarantine) {
        return guarded(quarantine, servers.stream().map(RedisServer::endpoint).toList());
    }

    private static RedlockTestClient guarded(Duration quarantine, List<RedisEndpoint> endpoints) {
        return RedlockTestClient.unconnected(
                endpoints, RedlockOptions.defaults().withRestartGuard(quarantine));
    }

    private static void assertQuarantined(RedlockTestClient client) {
        await().atMost(RedlockTestClient.PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> acquire(client, Duration.ZERO))
                        .havingCause()
                        .withMessageContaining("quarantined for another"));
    }

    private static HeldLock acquire(RedlockTestClient client, Duration wait) {
        return client.locks.acquire(
                client.locks.request("orders").withLeaseTime(LEASE).withWaitTime(wait));
    }
}
