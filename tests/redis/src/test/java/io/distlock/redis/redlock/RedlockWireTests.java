package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.redis.TestClient;
import io.distlock.redis.script.RedisKeys;
import io.distlock.redis.script.RedisLease;
import io.distlock.redis.script.RedisScripts;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What goes over the wires to five nodes, and what stands on each of them. */
class RedlockWireTests {

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(5);

    static RedlockTestClient client;

    @BeforeAll
    static void connect() {
        client = RedlockTestClient.of(nodes);
    }

    @AfterAll
    static void disconnect() {
        client.close();
    }

    /** How they come to be there is no matter of these tests. */
    @BeforeEach
    void loadScripts() {
        for (RedisServer node : nodes.all()) {
            RedisScripts.Redlock.with(Optional.empty(), new RedisKeys("lock", 0), List.of(0, 0, 0))
                    .all()
                    .forEach(script -> node.probe().command("SCRIPT", "LOAD", script.text()));
        }
    }

    @Test
    void anUncontendedLockCostsTenCommands() {
        // Counters that have never been used differ: the first locks need the second phase, which evens them.
        await().atMost(RedlockTestClient.PATIENCE).until(() -> {
            lockOnAllNodes("orders");
            return counters().size() == 1;
        });
        List<CommandRecorder> recorders = record();
        lockOnAllNodes("orders");
        assertThat(recorders).allSatisfy(each -> assertThat(each.names()).containsExactly("EVALSHA", "EVALSHA"));
        recorders.forEach(CommandRecorder::close);
    }

    /** Those inside the scripts included. */
    @Test
    void anUncontendedLockCostsEightCommandsOnANode() {
        client.locks.acquire(client.locks.request("orders")).close();
        RedisProbe node = nodes.get(0).probe();
        Map<String, Integer> ran = new HashMap<>();
        await().atMost(RedlockTestClient.PATIENCE).until(() -> {
            node.command("CONFIG", "RESETSTAT");
            client.locks.acquire(client.locks.request("orders")).close();
            ran.clear();
            await().atMost(RedlockTestClient.PATIENCE).until(() -> {
                node.info("commandstats")
                        .forEach((name, figures) ->
                                ran.put(name, Integer.parseInt(figures.replaceFirst("calls=(\\d+),.*", "$1"))));
                return ran.containsKey("cmdstat_publish");
            });
            ran.keySet().removeIf(name -> !name.startsWith("cmdstat_") || name.matches("cmdstat_(config.*|info)"));
            // A second phase would be one more.
            return ran.get("cmdstat_evalsha") == 2;
        });
        assertThat(ran)
                .containsOnly(
                        entry("cmdstat_evalsha", 2),
                        entry("cmdstat_exists", 1),
                        entry("cmdstat_incr", 1),
                        entry("cmdstat_set", 1),
                        entry("cmdstat_get", 1),
                        entry("cmdstat_del", 1),
                        entry("cmdstat_publish", 1));
    }

    @Test
    void aGrantStandsOnAllNodesUnderTheSameToken() {
        try (HeldLock held =
                client.locks.acquire(client.locks.request("orders").withLockDelay(Duration.ofSeconds(30)))) {
            String token = ":" + held.fencingToken();
            awaitOnAllNodes("lock:{orders}", value -> value.endsWith(token));
            assertThat(nodes.all())
                    .allSatisfy(node -> assertThat(
                                    node.probe().ttlMillis("lock:{orders}").orElseThrow())
                            .isBetween(30_000L, 60_000L));
        }
        await().atMost(RedlockTestClient.PATIENCE)
                .untilAsserted(() -> assertThat(nodes.all())
                        .allSatisfy(node -> assertThat(node.probe().keys())
                                .singleElement()
                                .asString()
                                .isEqualTo("lock:fence")));
    }

    @Test
    void tenThousandLeasesAreRenewedByFortyCommandsOnEachNode() {
        List<Lease> leases = make(10_000);
        Map<Lease, Renewal> answers = new ConcurrentHashMap<>();
        List<CommandRecorder> recorders = record();
        client.provider.renew(leases, answers::put);
        await().atMost(RedlockTestClient.PATIENCE).until(() -> answers.size() == leases.size());
        assertThat(answers.values()).containsOnly(Renewal.RENEWED);
        for (CommandRecorder recorder : recorders) {
            await().atMost(RedlockTestClient.PATIENCE)
                    .untilAsserted(
                            () -> assertThat(recorder.names()).hasSize(40).containsOnly("EVALSHA"));
            recorder.close();
        }
    }

    @Test
    void aNodeThatLostALockGetsItAgainWithTheNextRenewalAndCountsFromTheOneAfterThat() {
        Lease lease = acquire("orders");
        String key = "lock:{orders}";
        String value = awaitOnAllNodes(key, each -> each.endsWith(":" + lease.token()));
        nodes.get(0).probe().command("DEL", key);
        nodes.get(1).probe().command("SET", key, "another");
        assertThat(renew(lease)).isEqualTo(Renewal.RENEWED);
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> nodes.get(0).probe().get(key).equals(Optional.of(value)));
        assertThat(nodes.get(1).probe().get(key)).contains("another");
        nodes.get(2).probe().command("SET", key, "another");
        assertThat(renew(lease)).isEqualTo(Renewal.RENEWED);
        nodes.get(3).probe().command("DEL", key);
        assertThat(renew(lease)).isEqualTo(Renewal.NOT_OWNER);
    }

    @Test
    void aReaderThatANodeLostIsPutBackToo() {
        try (HeldLock reader = client.locks.acquire(
                client.locks.request("report").withMode(LockMode.SHARED).withLeaseTime(Duration.ofSeconds(15)))) {
            nodes.get(4).probe().command("DEL", "lock:{report}:readers");
            await().atMost(RedlockTestClient.PATIENCE)
                    .until(() -> nodes.get(4).probe().keys().contains("lock:{report}:readers"));
            assertThat(nodes.get(4)
                            .probe()
                            .command("ZRANGE", "lock:{report}:readers", "0", "-1")
                            .texts())
                    .singleElement()
                    .asString()
                    .endsWith(":" + reader.fencingToken());
        }
    }

    private static void lockOnAllNodes(String name) {
        try (HeldLock held = client.locks.acquire(client.locks.request(name))) {
            awaitOnAllNodes("lock:{" + name + "}", value -> value.endsWith(":" + held.fencingToken()));
        }
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> nodes.all().stream()
                        .allMatch(
                                node -> node.probe().get("lock:{" + name + "}").isEmpty()));
    }

    private static Set<String> counters() {
        return nodes.all().stream()
                .map(node -> RedlockTestClient.counter(node.probe()))
                .collect(Collectors.toSet());
    }

    private static String awaitOnAllNodes(String key, Predicate<String> value) {
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> nodes.all().stream()
                        .allMatch(node -> node.probe().get(key).filter(value).isPresent()));
        return nodes.get(0).probe().get(key).orElseThrow();
    }

    private static List<CommandRecorder> record() {
        return nodes.all().stream()
                .map(RedisServer::probe)
                .map(probe -> probe.record())
                .toList();
    }

    private static Renewal renew(Lease lease) {
        CompletableFuture<Renewal> renewal = new CompletableFuture<>();
        client.provider.renew(List.of(lease), (each, answer) -> renewal.complete(answer));
        return TestClient.get(renewal);
    }

    private static Lease acquire(String name) {
        LockOptions options = LockOptions.defaults().withWaitTime(RedlockTestClient.PATIENCE);
        Deadline deadline = Deadline.in(options.waitTime(), client.runtime.ticker());
        return TestClient.get(client.provider.acquire(
                        new LeaseRequest(LockKey.of(name), LockMode.EXCLUSIVE, "owner", options, deadline)))
                .orElseThrow()
                .lease();
    }

    /** As if they had been granted. */
    private static List<Lease> make(int count) {
        String make =
                "for i = 0, ARGV[1] - 1 do redis.call('SET', 'lock:{many:' .. i .. '}', 'owner:7', 'PX', 60000) end";
        nodes.all().forEach(node -> node.probe().command("EVAL", make, "0", Integer.toString(count)));
        RedisKeys keys = new RedisKeys("lock", 0);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            LockKey key = LockKey.of("many", Integer.toString(i));
            leases.add(new RedlockLease(
                    "owner",
                    new RedisLease(
                            key,
                            LockMode.EXCLUSIVE,
                            "owner",
                            new FencingToken(7),
                            keys.of(key),
                            Duration.ofSeconds(30),
                            Duration.ZERO)));
        }
        return leases;
    }
}
