package io.distlock.redis.redlock.vote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.spi.ProviderStatus;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a minority of slow or dead nodes costs, and what is left on it. */
class RedlockMinorityTests {

    /** Longer than a lock is held here; but neither a vote nor a call is given up. */
    private static final Duration LATE = Duration.ofMillis(80);

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(5);

    private FaultProxy proxy;
    private RedlockTestClient client;

    @BeforeEach
    void connect() {
        proxy = FaultProxy.to(slow().host(), slow().port());
        List<RedisEndpoint> endpoints = new ArrayList<>(RedlockTestClient.endpoints(nodes));
        endpoints.set(4, slow().endpoint().withPort(proxy.port()));
        client = RedlockTestClient.of(endpoints, RedlockTestClient.PATIENT);
    }

    @AfterEach
    void disconnect() {
        client.close();
        proxy.close();
    }

    private static RedisServer slow() {
        return nodes.get(4);
    }

    @Test
    void aVoteThatComesAfterTheReleaseCostsNoFurtherCommand() {
        // Counters that have never been used differ: the first locks need the second phase, which evens them.
        await().atMost(RedlockTestClient.PATIENCE).until(() -> {
            acquire("orders").close();
            awaitNothingLeft();
            return counters().size() == 1;
        });
        proxy.delayReplies(LATE);
        try (CommandRecorder recorder = slow().probe().record()) {
            acquire("orders").close();
            // Its answers come after those to the lock's commands, in order; what they give rise to comes before the
            // second.
            client.status();
            client.status();
            assertThat(recorder.names().stream().filter("EVALSHA"::equals)).hasSize(2);
        }
    }

    /** To be woken would end the pauses by which those who have a part each keep apart, and they would meet again for ever. */
    @Test
    void whoeverTakesAPartBackWakesNobody() {
        RedisProbe free = nodes.get(4).probe();
        // By then all that came before is over, on each node.
        client.status();
        client.status();
        free.command("CONFIG", "RESETSTAT");
        for (int node = 0; node < 4; node++) {
            nodes.get(node).probe().command("SET", "lock:{orders}", "owner-" + node / 2 + ":1");
        }
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.locks.tryAcquire(request("orders").withWaitTime(Duration.ZERO)))
                .havingCause()
                .withMessageContaining("the votes of 5 nodes were split");
        // It was taken there, and given back.
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> free.get("lock:{orders}").isEmpty());
        assertThat(free.info("commandstats")).containsKey("cmdstat_evalsha");
        assertThat(free.info("commandstats")).doesNotContainKey("cmdstat_publish");
    }

    /** With the vote that it did not hear of in time it may have looked like the holder, for whose release others wait. */
    @Test
    void whoeverMayHaveHadAMajorityWakesThoseWhoWaitForItsRelease() {
        for (int node = 2; node < 4; node++) {
            nodes.get(node).probe().command("SET", "lock:{orders}", "owner-" + node + ":1");
        }
        client.status();
        client.status();
        nodes.all().forEach(node -> node.probe().command("CONFIG", "RESETSTAT"));
        proxy.delayReplies(Duration.ofMillis(500));
        CompletableFuture<HeldLock> waiting =
                client.locks.acquireAsync(request("orders").withWaitTime(RedlockTestClient.PATIENCE));
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> slow().probe().info("commandstats").containsKey("cmdstat_publish"));
        // Those who were heard of in time wake nobody.
        assertThat(nodes.get(0).probe().info("commandstats")).doesNotContainKey("cmdstat_publish");
        waiting.cancel(true);
    }

    @Test
    void withoutAMajorityThoseWhoWaitDoNotWakeEachOther() {
        RedisProbe left = nodes.get(3).probe();
        try (RedlockTestClient other =
                RedlockTestClient.of(RedlockTestClient.endpoints(nodes), RedlockTestClient.PATIENT)) {
            killThree();
            left.command("CONFIG", "RESETSTAT");
            LockRequest request = client.locks.request("orders").withWaitTime(Duration.ofSeconds(3));
            CompletableFuture<HeldLock> one = client.locks.acquireAsync(request);
            CompletableFuture<HeldLock> two = other.locks.acquireAsync(request);
            assertThat(List.of(one, two))
                    .allSatisfy(attempt -> assertThat(attempt)
                            .failsWithin(RedlockTestClient.PATIENCE)
                            .withThrowableThat()
                            .withCauseInstanceOf(LockUnavailableException.class));
        }
        assertThat(left.info("commandstats")).containsKey("cmdstat_evalsha").doesNotContainKey("cmdstat_publish");
    }

    /** It may be that the holder has a majority with those that are silent. */
    @Test
    void whoDoesNotWaitIsToldOfTheNodesWithoutWhichTheHolderCannotBeTold() {
        killTwo();
        for (int node = 2; node < 4; node++) {
            nodes.get(node).probe().command("SET", "lock:{orders}", "holder:1");
        }
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.locks.tryAcquire(request("orders").withWaitTime(Duration.ZERO)))
                .havingCause()
                .withMessageContaining("it is unknown who holds 'orders': only 3 of 5 nodes answered (")
                .withMessageContaining("not connected")
                .withMessageNotContaining("split");
        nodes.all().subList(2, 4).forEach(node -> node.probe().command("DEL", "lock:{orders}"));
    }

    @Test
    void whatASlowNodeGrantsIsGoneOnceItHasCaughtUp() {
        proxy.delayReplies(LATE);
        for (int round = 0; round < 20; round++) {
            assertThat(acquire("orders").release()).isEqualTo(Release.RELEASED);
        }
        awaitNothingLeft();
    }

    /** Or nothing could be locked over a slow line, nor by a process that stands still for a moment. */
    @Test
    void aSlowNodeIsWaitedForWhereItIsNeededForAMajority() {
        killTwo();
        proxy.delayReplies(Duration.ofMillis(400));
        // Again if this machine stood still for longer than a call may take: without the slow node, each try fails.
        HeldLock held = await().atMost(RedlockTestClient.PATIENCE)
                .ignoreException(LockUnavailableException.class)
                .until(
                        () -> client.locks.acquire(
                                client.locks.request("orders").withWaitTime(Duration.ZERO)),
                        any -> true);
        assertThat(held.release()).isEqualTo(Release.RELEASED);
    }

    @Test
    void nodesThatAreDownLeaveNothingToDoForLater() {
        killTwo();
        // The first ones may have been sent on connections that were about to break: whether those arrived is unknown.
        acquire("first").release();
        int unknown = client.runtime.reaper().pending();
        for (int lock = 0; lock < 50; lock++) {
            assertThat(acquire("order-" + lock).release()).isEqualTo(Release.RELEASED);
        }
        assertThat(client.runtime.reaper().pending()).isLessThanOrEqualTo(unknown);
        assertThat(client.status().state()).isEqualTo(ProviderStatus.State.DEGRADED);
    }

    /** It has not voted; but a renewal has given it the lock nevertheless. */
    @Test
    void aNodeThatCameBackWhileTheLockWasHeldIsToldOfItsRelease() {
        disconnectSlowNode();
        HeldLock held = client.locks.acquire(
                request("orders").withLeaseTime(Duration.ofSeconds(15)).withWaitTime(RedlockTestClient.PATIENCE));
        proxy.accept();
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> slow().probe().get("lock:{orders}").isPresent());
        disconnectSlowNode();
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        proxy.accept();
        awaitNothingLeft();
    }

    private void killThree() {
        for (int node = 0; node < 3; node++) {
            nodes.get(node).kill();
        }
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> client.status().details().get("margin").equals(-1));
    }

    private void killTwo() {
        nodes.get(0).kill();
        nodes.get(1).kill();
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> client.status().details().get("margin").equals(0));
    }

    private void disconnectSlowNode() {
        proxy.refuse();
        proxy.cut();
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> client.status().details().get("margin").equals(1));
    }

    private static Set<String> counters() {
        return nodes.all().stream()
                .map(node -> RedlockTestClient.counter(node.probe()))
                .collect(Collectors.toSet());
    }

    private HeldLock acquire(String name) {
        return client.locks.acquire(request(name).withWaitTime(RedlockTestClient.PATIENCE));
    }

    /** Where nobody takes it back, it stands for longer than a test has patience. */
    private LockRequest request(String name) {
        return client.locks.request(name).withLockDelay(Duration.ofMinutes(1));
    }

    private void awaitNothingLeft() {
        await().atMost(RedlockTestClient.PATIENCE)
                .untilAsserted(() -> assertThat(nodes.all())
                        .allSatisfy(node ->
                                assertThat(node.probe().keys()).noneMatch(key -> key.startsWith("lock:{orders}"))));
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> client.runtime.reaper().pending() == 0);
    }
}
