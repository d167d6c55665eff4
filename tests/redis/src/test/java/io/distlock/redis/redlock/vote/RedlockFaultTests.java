package io.distlock.redis.redlock.vote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.spi.ProviderStatus;
import io.distlock.test.redis.ClientType;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Five nodes, some of which are gone, silent, in trouble, or not what they seem. */
class RedlockFaultTests {

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(5);

    /** What a slow machine may take for what no store has to wait for. */
    private static final Duration SLOW_MACHINE = Duration.ofSeconds(30);

    private RedlockTestClient client;

    @BeforeEach
    void connect() {
        client = RedlockTestClient.of(RedlockTestClient.endpoints(nodes), RedlockTestClient.UNGUARDED);
        client.locks
                .acquire(client.locks.request("warm").withWaitTime(RedlockTestClient.PATIENCE))
                .close();
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    @Test
    void threeOfFiveDownIsUnavailableWithinTheDeadlineAndLeavesNothingOnTheOthers() {
        List.of(0, 2, 4).forEach(node -> nodes.get(node).kill());
        assertUnavailableAndNothingLeft(List.of(nodes.get(1), nodes.get(3)));
    }

    @Test
    void threeOfFiveFrozenIsUnavailableWithinTheDeadlineAndLeavesNothing() {
        List.of(0, 2, 4).forEach(node -> nodes.get(node).freeze());
        assertUnavailableAndNothingLeft(List.of(nodes.get(1), nodes.get(3)));
        nodes.all().forEach(RedisServer::thaw);
        awaitNothingLeft(nodes.all());
    }

    @Test
    void whoeverAsksOnceIsToldWhichNodesWereSilent() {
        RedlockOptions options = RedlockTestClient.UNGUARDED.withCallTimeout(Duration.ofSeconds(3));
        try (RedlockTestClient patient = RedlockTestClient.of(RedlockTestClient.endpoints(nodes), options)) {
            List.of(0, 2, 4).forEach(node -> nodes.get(node).freeze());
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> patient.locks.acquire(
                            patient.locks.request("orders").withWaitTime(Duration.ZERO)))
                    .havingCause()
                    .withMessageContaining("did not vote")
                    .withMessageMatching(".*" + nodes.get(0).port() + ": no answer for \\d+ ms.*");
            nodes.all().forEach(RedisServer::thaw);
        }
    }

    private void assertUnavailableAndNothingLeft(List<RedisServer> others) {
        Duration wait = Duration.ofMillis(700);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.locks.acquire(request(client).withWaitTime(wait)))
                .satisfies(failure -> assertThat(failure.elapsed())
                        .isLessThan(wait.plus(client.provider.callTimeout()).plus(SLOW_MACHINE)));
        awaitNothingLeft(others);
        assertThat(client.status().state()).isEqualTo(ProviderStatus.State.DOWN);
    }

    private static void awaitNothingLeft(List<RedisServer> servers) {
        await().atMost(RedlockTestClient.PATIENCE)
                .untilAsserted(() -> assertThat(servers)
                        .allSatisfy(node ->
                                assertThat(node.probe().keys()).noneMatch(key -> key.startsWith("lock:{orders}"))));
    }

    /** Unlike one at which nobody answers. */
    @Test
    void aLockThatIsHeldIsBusyAndNotUnavailableAlsoWithTwoNodesGone() {
        nodes.get(0).kill();
        nodes.get(1).freeze();
        try (RedlockTestClient other =
                        RedlockTestClient.unconnected(RedlockTestClient.endpoints(nodes), RedlockTestClient.UNGUARDED);
                HeldLock held = acquire(other)) {
            // Again where one of the three was too slow for its vote to count.
            await().atMost(RedlockTestClient.PATIENCE)
                    .untilAsserted(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
                            .isThrownBy(() -> client.locks.acquire(request(client))));
            assertThat(held.isHeld()).isTrue();
        }
    }

    private static HeldLock acquire(RedlockTestClient client) {
        return client.locks.acquire(request(client).withWaitTime(RedlockTestClient.PATIENCE));
    }

    /** Where nobody takes it back, it stands for longer than a test has patience. */
    private static LockRequest request(RedlockTestClient client) {
        return client.locks.request("orders").withLockDelay(Duration.ofMinutes(1));
    }

    @Test
    void aGrantThatComesAfterTheEndIsTakenBack() {
        List.of(0, 1, 2).forEach(node -> nodes.get(node).freeze());
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.locks.acquire(request(client)));
        List.of(0, 1, 2).forEach(node -> nodes.get(node).thaw());
        awaitNothingLeft(nodes.all());
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> client.runtime.reaper().pending() == 0);
    }

    @Test
    void aReleaseThatANodeDidNotHearOfIsMadeUpForLater() {
        try (RedlockTestClient patient = RedlockTestClient.of(nodes)) {
            HeldLock held = acquire(patient);
            // Once it is frozen, it cannot be connected to anew.
            nodes.get(3).probe().killClients(ClientType.NORMAL);
            nodes.get(3).freeze();
            assertThat(held.release()).isEqualTo(Release.RELEASED);
            nodes.get(3).thaw();
            awaitNothingLeft(nodes.all());
        }
    }

    @Test
    void aLockIsKeptWhileAMinorityIsGoneAndItsNodesChange() {
        try (RedlockTestClient patient = RedlockTestClient.of(nodes)) {
            // A renewal comes every five seconds, and one that comes nine seconds late is not too late.
            HeldLock held = patient.locks.acquire(patient.locks
                    .request("orders")
                    .withLeaseTime(Duration.ofSeconds(15))
                    .withWaitTime(RedlockTestClient.PATIENCE));
            for (int away : List.of(0, 3, 1, 4)) {
                nodes.get(away).restartEmpty();
                // The renewal puts the lock back on it, before the next one loses it.
                await().atMost(RedlockTestClient.PATIENCE)
                        .until(() ->
                                nodes.get(away).probe().get("lock:{orders}").isPresent());
            }
            assertThat(held.isHeld()).isTrue();
            assertThat(held.release()).isEqualTo(Release.RELEASED);
        }
    }

    @Test
    void healthTellsOfEachNodeAndHowManyMoreMayFail() {
        nodes.get(2).kill();
        await().atMost(RedlockTestClient.PATIENCE).untilAsserted(() -> {
            ProviderStatus status = client.status();
            assertThat(status.state()).isEqualTo(ProviderStatus.State.UP);
            assertThat(status.details()).containsEntry("quorum", 3).containsEntry("margin", 1);
            assertThat(status.details().get("nodes"))
                    .asString()
                    .contains(nodes.get(1).endpoint() + "=up", nodes.get(2).endpoint() + "=down: ");
        });
        nodes.get(3).kill();
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> client.status().state() == ProviderStatus.State.DEGRADED);
        nodes.get(4).kill();
        await().atMost(RedlockTestClient.PATIENCE).until(() -> client.status().state() == ProviderStatus.State.DOWN);
    }

    @Test
    void theSameServerUnderTwoAddressesIsRefusedAndTold() {
        List<RedisEndpoint> endpoints = new ArrayList<>(RedlockTestClient.endpoints(nodes));
        RedisEndpoint first = endpoints.get(0);
        endpoints.set(4, new RedisEndpoint("localhost", first.port(), first.credentials(), first.certificate()));
        try (RedlockTestClient twice = RedlockTestClient.unconnected(endpoints, RedlockTestClient.PATIENT)) {
            // As soon as both have been connected to.
            await().atMost(RedlockTestClient.PATIENCE)
                    .untilAsserted(() -> assertThat(twice.status().details())
                            .extractingByKey("error")
                            .asString()
                            .contains("localhost:" + first.port(), "list each server once"));
            assertThat(twice.status().state()).isEqualTo(ProviderStatus.State.DOWN);
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> twice.locks.acquire(request(twice)))
                    .havingCause()
                    .withMessageContaining("are the same server");
        }
        awaitNothingLeft(nodes.all());
    }
}
