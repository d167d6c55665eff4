package io.distlock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.TestClient;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisReplication;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplicaAcknowledgementTests {

    private RedisReplication redis;
    private TestClient client;

    @BeforeEach
    void connect() {
        redis = RedisReplication.start();
        // Replicas are waited for as long as a third of this.
        RedisLockOptions options = TestClient.PATIENT.withCallTimeout(Duration.ofSeconds(3));
        client = TestClient.of(redis.master().endpoint(), options.withReplicasToAcknowledge(1));
        client.locks
                .acquire(client.locks.request("warm").withWaitTime(TestClient.PATIENCE))
                .close();
    }

    @AfterEach
    void disconnect() {
        client.close();
        redis.close();
    }

    @Test
    void aGrantIsAtTheReplicaWhenItIsGiven() {
        try (HeldLock held = client.locks.acquire(client.locks.request("orders").withWaitTime(TestClient.PATIENCE))) {
            assertThat(redis.replica().probe().get("lock:{orders}").orElseThrow())
                    .endsWith(":" + held.fencingToken());
        }
    }

    @Test
    void eachGrantIsWaitedForOnTheConnectionThatAskedForIt() {
        RedisLockOptions patient = TestClient.PATIENT.withReplicasToAcknowledge(1);
        try (TestClient once = TestClient.of(redis.master().endpoint(), patient);
                CommandRecorder recorder = redis.master().probe().record()) {
            once.locks.acquire(once.locks.request("orders")).close();
            assertThat(recorder.names()).containsExactly("EVALSHA", "WAIT", "EVALSHA");
            var commands = recorder.commands();
            assertThat(commands.get(1).client()).isEqualTo(commands.get(0).client());
            assertThat(commands.get(2).client())
                    .as("may lead to another master than a new one")
                    .isEqualTo(commands.get(0).client());
        }
    }

    /** As while Sentinel replaces a master that is still alive: a new connection leads to the next one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withTwoMastersALockIsReleasedWhereItWasTaken(boolean scriptsKnown) {
        try (RedisReplication next = RedisReplication.start();
                FaultProxy address =
                        FaultProxy.to(redis.master().host(), redis.master().port());
                TestClient moving = TestClient.of(
                        redis.master().endpoint().withPort(address.port()),
                        TestClient.PATIENT.withReplicasToAcknowledge(1))) {
            if (scriptsKnown) {
                TestClient.of(next.master().endpoint()).close();
            }
            moving.locks.acquire(moving.locks.request("before"));
            address.leadTo(next.master().host(), next.master().port());
            killWaiting(redis.master().probe());
            for (int i = 0; i < 6; i++) {
                HeldLock held =
                        moving.locks.acquire(moving.locks.request("orders").withWaitTime(TestClient.PATIENCE));
                assertThat(next.master().probe().get("lock:{orders}")).isPresent();
                assertThat(held.release()).isEqualTo(Release.RELEASED);
                assertThat(next.master().probe().get("lock:{orders}")).isEmpty();
            }
        }
    }

    /** The connections whose last command was WAIT. */
    private static void killWaiting(RedisProbe probe) {
        probe.command("CLIENT", "LIST")
                .text()
                .lines()
                .filter(line -> line.contains(" cmd=wait "))
                .map(line -> line.replaceFirst("^id=(\\d+) .*", "$1"))
                .forEach(id -> probe.command("CLIENT", "KILL", "ID", id));
    }

    @ParameterizedTest
    @EnumSource
    void aGrantThatNoReplicaHasIsGivenBack(LockMode mode) {
        redis.replica().freeze();
        // On a machine that stalls, the master's answer may be late as well.
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> client.locks.acquire(
                                client.locks.request("orders").withMode(mode)))
                        .havingCause()
                        .withMessage("only 0 of 1 replicas acknowledged the lock in time"));
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() ->
                        assertThat(redis.master().probe().keys()).noneMatch(key -> key.startsWith("lock:{orders}")));
        redis.replica().thaw();
    }

    /**
     * The first try for the lock has been given up behind the WAIT of others; the second follows the first, and the
     * replica is back in time for it. What is done about the first must not touch the grant of the second.
     */
    @Test
    void aTryWithoutReplicasTakesNothingFromTheNextOne() {
        redis.replica().freeze();
        List<CompletableFuture<HeldLock>> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(client.locks.acquireAsync(client.locks.request("others", "" + i)));
        }
        try (CommandRecorder recorder = redis.master().probe().record()) {
            CompletableFuture<HeldLock> asked =
                    client.locks.acquireAsync(client.locks.request("orders").withWaitTime(TestClient.PATIENCE));
            await().atMost(TestClient.PATIENCE).until(() -> tries(recorder) == 2);
            redis.replica().thaw();
            HeldLock held = TestClient.get(asked);
            assertThat(redis.master().probe().get("lock:{orders}").orElseThrow())
                    .endsWith(":" + held.fencingToken());
            assertThat(held.release()).isEqualTo(Release.RELEASED);
        }
        others.forEach(other -> assertThat(other).isCompletedExceptionally());
    }

    private static long tries(CommandRecorder recorder) {
        return recorder.commands().stream()
                .filter(command -> command.words().contains("lock:{orders}:waiting"))
                .filter(command -> command.words().contains("4"))
                .count();
    }

    @ParameterizedTest
    @EnumSource
    void triesThatWereGivenUpBehindOthersLeaveNothing(LockMode mode) {
        redis.replica().freeze();
        List<CompletableFuture<HeldLock>> asked = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            asked.add(client.locks.acquireAsync(
                    client.locks.request("orders", "" + i).withMode(mode)));
        }
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThat(asked).allMatch(CompletableFuture::isCompletedExceptionally));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> client.runtime.reaper().pending() == 0);
        redis.replica().thaw();
        // Behind whatever may still be on its way.
        await().atMost(TestClient.PATIENCE)
                .ignoreExceptionsInstanceOf(LockUnavailableException.class)
                .untilAsserted(() ->
                        client.locks.acquire(client.locks.request("behind")).close());
        assertThat(redis.master().probe().keys()).noneMatch(key -> key.startsWith("lock:{orders"));
    }

    @Test
    void aLockHeldByAnotherIsBusyEvenWithoutReplicas() {
        redis.replica().freeze();
        redis.master().probe().command("SET", "lock:{orders}", "theirs", "PX", "60000");
        assertThat(client.locks.tryAcquire(client.locks.request("orders"))).isEmpty();
        redis.replica().thaw();
    }

    @Test
    void aRenewalThatNoReplicaHasDoesNotCount() {
        HeldLock held = client.locks.acquire(client.locks
                .request("orders")
                .withLeaseTime(Duration.ofSeconds(10))
                .withWaitTime(TestClient.PATIENCE));
        redis.replica().freeze();
        assertThat(TestClient.get(held.lost()).reason()).isEqualTo(LockLoss.Reason.EXPIRED);
        redis.replica().thaw();
    }
}
