package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.Renewal;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** What goes over the wire, and what stands in Redis. */
class RedisWireTests extends OneClientFixture {

    @Test
    void anUncontendedLockCostsTwoCommands(RedisProbe probe) {
        client.locks.acquire(client.locks.request("warm")).close();
        try (CommandRecorder recorder = probe.record()) {
            client.locks.acquire(client.locks.request("orders", "42")).close();
            assertThat(recorder.names()).containsExactly("EVALSHA", "EVALSHA");
        }
    }

    @Test
    void aSharedLockCostsTwoCommands(RedisProbe probe) {
        var shared = client.locks.request("orders", "42").withMode(LockMode.SHARED);
        client.locks.acquire(shared).close();
        try (CommandRecorder recorder = probe.record()) {
            client.locks.acquire(shared).close();
            assertThat(recorder.names()).containsExactly("EVALSHA", "EVALSHA");
        }
    }

    /** Those inside the scripts included. */
    @Test
    void anUncontendedLockCostsNineCommandsAtTheServer(RedisProbe probe) {
        client.locks.acquire(client.locks.request("orders", "42")).close();
        Map<String, Integer> ran = ranBy(
                probe,
                () -> client.locks.acquire(client.locks.request("orders", "42")).close());
        assertThat(ran)
                .containsOnly(
                        entry("evalsha", 2),
                        entry("exists", 1),
                        entry("time", 1),
                        entry("set", 2),
                        entry("get", 1),
                        entry("del", 1),
                        entry("publish", 1));
    }

    @Test
    void aLoneReaderCostsThirteenCommandsAtTheServer(RedisProbe probe) {
        var shared = client.locks.request("orders", "42").withMode(LockMode.SHARED);
        client.locks.acquire(shared).close();
        Map<String, Integer> ran =
                ranBy(probe, () -> client.locks.acquire(shared).close());
        assertThat(ran.values().stream().mapToInt(Integer::intValue).sum())
                .as("commands of %s", ran)
                .isEqualTo(13);
    }

    @Test
    void aRenewalCostsTwoCommandsForEachLeaseAndThreeForAllAtTheServer(RedisProbe probe) {
        List<Lease> leases = acquireMany(100);
        renewOne(leases.get(0));
        Map<Lease, Renewal> answers = new ConcurrentHashMap<>();
        Map<String, Integer> ran = ranBy(probe, () -> {
            client.provider.renew(leases, answers::put);
            await().atMost(TestClient.PATIENCE).until(() -> answers.size() == leases.size());
        });
        assertThat(answers.values()).containsOnly(Renewal.RENEWED);
        assertThat(ran)
                .containsOnly(
                        entry("evalsha", 1),
                        entry("mget", 1),
                        entry("time", 1),
                        entry("pttl", 100),
                        entry("pexpire", 100));
    }

    @Test
    void theLockIsOneKeyWithOwnerAndTokenAndExpiresAfterLeaseAndDelay(RedisProbe probe) {
        var request = client.locks
                .request("orders", "42")
                .withLeaseTime(Duration.ofSeconds(60))
                .withLockDelay(Duration.ofSeconds(30));
        try (HeldLock held = client.locks.acquire(request)) {
            assertThat(probe.get("lock:{orders:42}").orElseThrow()).matches("[0-9a-f]{32}:" + held.fencingToken());
            assertThat(probe.ttlMillis("lock:{orders:42}").orElseThrow()).isBetween(60_001L, 90_000L);
            assertThat(probe.keys()).hasSize(2).anyMatch(key -> key.startsWith("lock:fence:{"));
        }
        assertThat(probe.keys()).singleElement().asString().startsWith("lock:fence:{");
    }

    @Test
    void manyLocksLeaveAtMostOneCounterForEachSlot(RedisProbe probe) {
        for (int i = 0; i < 200; i++) {
            client.locks.acquire(client.locks.request("orders", "same")).close();
        }
        assertThat(probe.keys()).hasSize(1);
    }

    @Test
    void tenThousandLeasesAreRenewedByFortyCommands(RedisProbe probe) {
        List<Lease> leases = acquireMany(10_000);
        Map<Lease, Renewal> answers = new ConcurrentHashMap<>();
        renewOne(leases.get(0));
        try (CommandRecorder recorder = probe.record()) {
            client.provider.renew(leases, answers::put);
            await().atMost(TestClient.PATIENCE).until(() -> answers.size() == leases.size());
            assertThat(recorder.names()).hasSize(40).containsOnly("EVALSHA");
        }
        assertThat(answers.values()).containsOnly(Renewal.RENEWED);
    }

    @Test
    void flushedScriptsAreLoadedAgainUnseen(RedisProbe probe) {
        for (LockMode mode : LockMode.values()) {
            var request = client.locks.request("orders").withMode(mode);
            probe.scriptFlush();
            HeldLock held = client.locks.acquire(request);
            probe.scriptFlush();
            assertThat(client.locks.inspect(LockKey.of("orders"))).isPresent();
            probe.scriptFlush();
            held.close();
        }
        Lease lease = acquireMany(1).get(0);
        probe.scriptFlush();
        assertThat(renewOne(lease)).isEqualTo(Renewal.RENEWED);
    }

    @Test
    void aRefusedAttemptNamesTheTimeAfterWhichTheLockIsFree(RedisProbe probe) {
        client.locks.acquire(client.locks.request("warm")).close();
        // Who does not know looks again after five seconds, each time; a machine stands still for so long now and then.
        Duration unknowing = Duration.ofSeconds(5);
        Duration least = unknowing;
        for (int tries = 0; tries < 4 && least.compareTo(unknowing) >= 0; tries++) {
            probe.command("SET", "lock:{orders}", "somebody", "PX", "400");
            long asked = client.runtime.ticker().nanos();
            client.locks
                    .acquire(client.locks.request("orders").withWaitTime(TestClient.PATIENCE))
                    .close();
            least = Duration.ofNanos(client.runtime.ticker().nanos() - asked);
        }
        assertThat(least).isLessThan(unknowing);
    }

    @Test
    void waitingDoesNotPoll(RedisProbe probe) {
        client.locks.acquire(client.locks.request("warm")).close();
        probe.command("SET", "lock:{orders}", "somebody", "PX", "2000");
        try (CommandRecorder recorder = probe.record()) {
            client.locks
                    .acquire(client.locks.request("orders").withWaitTime(TestClient.PATIENCE))
                    .close();
            // Try, subscribe, try again; once more when the time to live is over; release. After a stall, fewer tries.
            assertThat(recorder.names())
                    .filteredOn(name -> !name.equals("UNSUBSCRIBE"))
                    .startsWith("EVALSHA")
                    .hasSizeLessThanOrEqualTo(5)
                    .isSubsetOf("EVALSHA", "SUBSCRIBE");
        }
    }

    /** Those inside the scripts included. The least of several: a release that comes while the waiter asks costs one more try. */
    @Test
    void aHandOverBetweenTwoClientsThatTakeTurnsCostsThirteenCommandsAtTheServer(RedisProbe probe) {
        try (TestClient other = TestClient.of(redis.server().endpoint())) {
            List<TestClient> clients = List.of(client, other);
            List<Integer> costs = new ArrayList<>();
            HeldLock[] held = {take(client).join()};
            for (int turn = 1; turn <= 10; turn++) {
                TestClient next = clients.get(turn % 2);
                Map<String, Integer> ran = ranBy(probe, () -> {
                    CompletableFuture<HeldLock> waiting = take(next);
                    await().atMost(TestClient.PATIENCE)
                            .until(() -> probe.info("commandstats").containsKey("cmdstat_pttl"));
                    held[0].release();
                    held[0] = TestClient.get(waiting);
                });
                ran.remove("info");
                costs.add(ran.values().stream().mapToInt(Integer::intValue).sum());
            }
            held[0].release();
            assertThat(costs.stream().min(Integer::compare))
                    .as("commands of %s", costs)
                    .contains(13);
        }
    }

    private static CompletableFuture<HeldLock> take(TestClient client) {
        return client.locks
                .acquireAsync(client.locks.request("orders", "42").withWaitTime(TestClient.PATIENCE))
                .toCompletableFuture();
    }

    private static Map<String, Integer> ranBy(RedisProbe probe, Runnable calls) {
        probe.command("CONFIG", "RESETSTAT");
        calls.run();
        Map<String, Integer> ran = new HashMap<>();
        probe.info("commandstats").forEach((name, figures) -> {
            if (name.startsWith("cmdstat_") && !name.startsWith("cmdstat_config")) {
                ran.put(name.substring(8), Integer.parseInt(figures.replaceFirst("calls=(\\d+),.*", "$1")));
            }
        });
        return ran;
    }

    private static Renewal renewOne(Lease lease) {
        CompletableFuture<Renewal> renewal = new CompletableFuture<>();
        client.provider.renew(List.of(lease), (each, answer) -> renewal.complete(answer));
        return TestClient.get(renewal);
    }

    private static List<Lease> acquireMany(int count) {
        LockOptions options = LockOptions.defaults().withWaitTime(Duration.ZERO);
        List<CompletableFuture<Optional<Grant>>> grants = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            grants.add(client.provider.acquire(
                    client.request(LockKey.of("many", "" + i), LockMode.EXCLUSIVE, "owner-" + i, options)));
            if (i % 500 == 499) {
                TestClient.get(grants.get(i));
            }
        }
        return grants.stream()
                .map(grant -> TestClient.get(grant).orElseThrow().lease())
                .toList();
    }
}
