package io.distlock.redis.redlock.vote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.Release;
import io.distlock.redis.TestClient;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A grant by a bare majority comes to the other nodes, too, so that one more fault does not break or lose it. */
class RedlockRestorationTests {

    private static final LockKey KEY = LockKey.of("orders");
    private static final String LOCK = "lock:{orders}";
    private static final String READERS = "lock:{orders}:readers";
    private static final String ANOTHER = "another.0:5";

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    static RedlockTestClient client;
    static RedlockTestClient other;

    @BeforeAll
    static void connect() {
        client = RedlockTestClient.of(nodes);
        other = RedlockTestClient.of(nodes);
    }

    @AfterAll
    static void disconnect() {
        client.close();
        other.close();
    }

    private static RedisProbe third() {
        return nodes.get(2).probe();
    }

    /** Whoever has lost a split vote withdraws a moment later. */
    @Test
    void aNodeThatRefusedGetsAGrantThatIsNotRenewedOnceItIsFree() {
        third().command("SET", LOCK, ANOTHER);
        try (HeldLock held = client.locks.acquire(request(client).withRenew(false))) {
            assertThat(third().get(LOCK)).contains(ANOTHER);
            RedisProbe first = nodes.get(0).probe();
            await().atMost(RedlockTestClient.PATIENCE)
                    .until(() -> first.ttlMillis(LOCK).orElseThrow() < 59_000);
            third().command("DEL", LOCK);
            awaitOn(third(), held);
            long elsewhere = first.ttlMillis(LOCK).orElseThrow();
            // A slow machine is late by less than the whole time that has passed.
            assertThat(third().ttlMillis(LOCK).orElseThrow()).isLessThan(elsewhere + 500);
            assertThat(other.locks.tryAcquire(request(other).withWaitTime(Duration.ZERO)))
                    .isEmpty();
        }
        awaitNothingLeft();
    }

    @Test
    void aNodeThatRefusedGetsAReaderOnceTheWriterIsGone() {
        third().command("SET", LOCK, ANOTHER);
        try (HeldLock held =
                client.locks.acquire(request(client).withMode(LockMode.SHARED).withRenew(false))) {
            third().command("DEL", LOCK);
            await().atMost(RedlockTestClient.PATIENCE)
                    .until(() -> third().command("ZRANGE", READERS, "0", "-1").texts().stream()
                            .anyMatch(member -> member.endsWith(":" + held.fencingToken())));
        }
        awaitNothingLeft();
    }

    @Test
    void aNodeThatWasMissedGetsItWhenItIsBack() {
        nodes.get(2).kill();
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> client.status().details().get("margin").equals(0));
        try (HeldLock held = client.locks.acquire(request(client).withRenew(false))) {
            nodes.get(2).restartEmpty();
            awaitOn(third(), held);
        }
        awaitNothingLeft();
    }

    @Test
    void oneThatDiesAfterASplitVoteDoesNotLoseTheLock() {
        third().command("SET", LOCK, ANOTHER);
        HeldLock held = client.locks.acquire(request(client).withRenew(false));
        third().command("DEL", LOCK);
        awaitOn(third(), held);
        nodes.get(0).probe().command("DEL", LOCK);
        assertThat(other.locks.tryAcquire(request(other).withWaitTime(Duration.ZERO)))
                .isEmpty();
        assertThat(held.release()).isEqualTo(Release.RELEASED);
    }

    /** One node has it, one has lost it, and one is down: nobody knows, and no majority has said no. */
    @Test
    void aRenewalThatIsUndecidedRestoresANodeThatCountsFromTheNextOneOn() {
        Lease lease = acquire();
        awaitOnAllNodes(lease);
        third().command("DEL", LOCK);
        nodes.get(0).kill();
        assertThat(renew(lease)).isEqualTo(Renewal.UNKNOWN);
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() ->
                        third().get(LOCK).filter(value -> isOf(lease, value)).isPresent());
        assertThat(renew(lease)).isEqualTo(Renewal.RENEWED);
    }

    @Test
    void aLeaseThatAMajorityHasLostIsNotRestored() {
        Lease lease = acquire();
        awaitOnAllNodes(lease);
        nodes.get(1).probe().command("DEL", LOCK);
        third().command("DEL", LOCK);
        assertThat(renew(lease)).isEqualTo(Renewal.NOT_OWNER);
        // Asked after whatever the renewal has given rise to.
        assertThat(TestClient.get(client.provider.release(lease, Duration.ZERO)))
                .isEqualTo(Release.NOT_OWNER);
        assertThat(third().get(LOCK)).isEmpty();
    }

    /** With one of the others down, it would keep everybody out. */
    @Test
    void whatAMinorityStillHasIsReleasedWithTheLoss() {
        Lease lease = acquire();
        awaitOnAllNodes(lease);
        nodes.get(0).probe().command("DEL", LOCK);
        nodes.get(1).probe().command("DEL", LOCK);
        assertThat(renew(lease)).isEqualTo(Renewal.NOT_OWNER);
        await().atMost(RedlockTestClient.PATIENCE).until(() -> third().get(LOCK).isEmpty());
    }

    @Test
    void aRestorationThatComesAfterTheReleaseLeavesNothing() {
        for (int round = 0; round < 50; round++) {
            third().command("SET", LOCK, ANOTHER);
            HeldLock held = client.locks.acquire(request(client).withLockDelay(Duration.ofSeconds(60)));
            third().command("DEL", LOCK);
            held.release();
        }
        awaitNothingLeft();
    }

    private static LockRequest request(RedlockTestClient by) {
        return by.locks.request(KEY).withLeaseTime(Duration.ofSeconds(60)).withWaitTime(RedlockTestClient.PATIENCE);
    }

    private static Lease acquire() {
        LockOptions options = LockOptions.defaults().withWaitTime(RedlockTestClient.PATIENCE);
        Deadline deadline = Deadline.in(options.waitTime(), client.runtime.ticker());
        return TestClient.get(
                        client.provider.acquire(new LeaseRequest(KEY, LockMode.EXCLUSIVE, "owner", options, deadline)))
                .orElseThrow()
                .lease();
    }

    private static Renewal renew(Lease lease) {
        CompletableFuture<Renewal> renewal = new CompletableFuture<>();
        client.provider.renew(List.of(lease), (each, answer) -> renewal.complete(answer));
        return TestClient.get(renewal);
    }

    private static void awaitOn(RedisProbe node, HeldLock held) {
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> node.get(LOCK)
                        .filter(value -> value.endsWith(":" + held.fencingToken()))
                        .isPresent());
    }

    private static void awaitOnAllNodes(Lease lease) {
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> nodes.all().stream()
                        .map(node -> node.probe().get(LOCK))
                        .allMatch(value ->
                                value.filter(known -> isOf(lease, known)).isPresent()));
    }

    private static boolean isOf(Lease lease, String value) {
        return value.startsWith(lease.owner()) && value.endsWith(":" + lease.token());
    }

    private static void awaitNothingLeft() {
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> nodes.all().stream()
                        .allMatch(node -> Optional.of(node.probe().keys())
                                .filter(keys -> keys.contains(LOCK) || keys.contains(READERS))
                                .isEmpty()));
    }
}
