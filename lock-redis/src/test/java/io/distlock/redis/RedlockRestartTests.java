package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockRequest;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A node is restarted without what it had while a lock is held by a bare majority, so that a second majority without the
 * lock exists. How many rounds: {@value #ROUNDS}.
 */
class RedlockRestartTests {

    private static final String ROUNDS = "distlock.test.redlock.restarts";

    private static final int NODES = 3;
    private static final Duration LEASE = Duration.ofSeconds(2);

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(NODES);

    @BeforeEach
    void needsRedis7() {
        assumeThat(nodes.get(0).probe().info("server").get("redis_version")).doesNotStartWith("6.");
    }

    @Test
    void withTheGuardNobodyGetsALockThatIsHeld() {
        assertThat(secondHolders(RedlockOptions.defaults().withRestartGuard(LEASE)))
                .isZero();
    }

    @Test
    void withoutTheGuardAnotherGetsIt() {
        assertThat(secondHolders(RedlockTestClient.UNGUARDED)).isPositive();
    }

    /** In how many rounds two held the lock at once; each combination of nodes has its turn. */
    private static int secondHolders(RedlockOptions options) {
        int found = 0;
        try (RedlockTestClient one = RedlockTestClient.of(RedlockTestClient.endpoints(nodes), options);
                RedlockTestClient other = RedlockTestClient.of(RedlockTestClient.endpoints(nodes), options)) {
            int rounds = Integer.getInteger(ROUNDS, NODES * (NODES - 1));
            for (int round = 0; round < rounds; round++) {
                int without = round % NODES;
                int restarted = (without + 1 + round / NODES % (NODES - 1)) % NODES;
                found += secondHolder(one, other, "round-" + round, without, restarted) ? 1 : 0;
            }
        }
        return found;
    }

    private static boolean secondHolder(
            RedlockTestClient one, RedlockTestClient other, String name, int without, int restarted) {
        one.awaitUp();
        other.awaitUp();
        // Another's at first: the lock is taken on the other two, by the barest majority.
        nodes.get(without).probe().command("SET", "lock:{" + name + "}", "another");
        HeldLock held = one.locks.acquire(
                one.locks.request(name).withLeaseTime(LEASE).withRenew(false).withWaitTime(RedlockTestClient.PATIENCE));
        nodes.get(without).probe().command("DEL", "lock:{" + name + "}");
        nodes.get(restarted).restartEmpty();
        LockRequest request = other.locks.request(name).withLeaseTime(LEASE).withRenew(false);
        while (held.isHeld()) {
            Optional<HeldLock> second = tryAcquire(other, request);
            if (second.isPresent()) {
                boolean both = held.isHeld() && second.get().isHeld();
                second.get().release();
                held.release();
                return both;
            }
        }
        // The guard keeps the lock from all only for as long as it was held.
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> tryAcquire(other, request).map(HeldLock::release).isPresent());
        return false;
    }

    private static Optional<HeldLock> tryAcquire(RedlockTestClient client, LockRequest request) {
        try {
            return client.locks.tryAcquire(request);
        } catch (io.distlock.LockUnavailableException guarded) {
            return Optional.empty();
        }
    }
}
