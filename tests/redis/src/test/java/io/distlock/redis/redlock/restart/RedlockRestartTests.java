package io.distlock.redis.redlock.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.redis.script.RedisKeys;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A node is restarted without what it had while locks are held by bare majorities, so that second majorities without them
 * exist: each order in which that can happen. How often: {@value #RESTARTS}.
 */
@Timeout(value = 14, unit = TimeUnit.MINUTES) // for the long form
class RedlockRestartTests {

    private static final String RESTARTS = "distlock.test.redlock.restarts";

    private static final int NODES = 3;
    private static final Duration LEASE = Duration.ofSeconds(2);

    /** For a node that takes its time to start: without the guard nobody waits for its end. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(20);

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(NODES);

    @BeforeEach
    void needsRedis7() {
        // The bundled server is older, and guarded in another way: that is for RedlockGuardTests.
        assumeThat(nodes.get(0).probe().info("server").get("redis_version")).doesNotStartWith("6.");
    }

    @Test
    void withTheGuardNobodyGetsALockThatIsHeld() {
        Outcome outcome = restart(RedlockOptions.defaults().withRestartGuard(LEASE));
        assertThat(outcome.secondHolders()).isZero();
        assertThat(outcome.shown())
                .as("restarts after which the node was seen to keep its vote back while the locks were held")
                .isEqualTo(restarts());
    }

    @Test
    void withoutTheGuardAnotherGetsIt() {
        assertThat(restart(RedlockTestClient.UNGUARDED).secondHolders()).isPositive();
    }

    private static int restarts() {
        return Integer.getInteger(RESTARTS, NODES);
    }

    /**
     * What came of restarts.
     *
     * @param secondHolders how many locks had two holders at once
     * @param shown how many restarts were over while the locks were held, so that the guard had something to do
     */
    private record Outcome(int secondHolders, int shown) {

        Outcome plus(Outcome other) {
            return new Outcome(secondHolders + other.secondHolders, shown + other.shown);
        }
    }

    /** With the guard, one that takes longer than the locks are held shows nothing, and is made up for by another. */
    private static Outcome restart(RedlockOptions options) {
        boolean guarded = options.restartGuard().isPresent();
        Outcome outcome = new Outcome(0, 0);
        int restart = 0;
        int locks = 0;
        try (RedlockTestClient one = RedlockTestClient.of(RedlockTestClient.endpoints(nodes), options);
                RedlockTestClient other = RedlockTestClient.of(RedlockTestClient.endpoints(nodes), options)) {
            while (guarded ? outcome.shown() < restarts() && restart < 5 * restarts() : restart < restarts()) {
                one.awaitUp();
                other.awaitUp();
                List<HeldLock> held = heldByBareMajorities(one, guarded ? LEASE : LONG_LEASE, restart);
                nodes.get(restart % NODES).restartEmpty();
                if (!guarded) {
                    // A contender that is not connected to it yet comes when the third node has been restored.
                    other.awaitUp();
                }
                outcome = outcome.plus(contend(other, held));
                locks += held.size();
                restart++;
            }
        }
        System.out.printf(
                "%,d restarts without data, restart guard %s: of %,d locks held by a bare majority, %,d got a second"
                        + " holder%n",
                restart, guarded ? "on" : "off", locks, outcome.secondHolders());
        return outcome;
    }

    /** One for each node that is not restarted, which does not have it. */
    private static List<HeldLock> heldByBareMajorities(RedlockTestClient client, Duration lease, int restart) {
        List<HeldLock> held = new ArrayList<>();
        for (int without = 1; without < NODES; without++) {
            LockKey key = LockKey.of("restart", restart + "-" + without);
            // Another's at first: the lock is taken on the other two, by the barest majority.
            nodes.get((restart + without) % NODES).probe().command("SET", name(key), "another");
            held.add(client.locks.acquire(
                    request(client, key).withLeaseTime(lease).withWaitTime(RedlockTestClient.PATIENCE)));
        }
        return held;
    }

    private static String name(LockKey key) {
        return new RedisKeys("lock", 0).of(key).lock();
    }

    /** From now on the lock is given to the third node, too: whoever wants it now has a moment for it. */
    private static void free(LockKey key) {
        nodes.all().stream()
                .map(RedisServer::probe)
                .filter(probe -> probe.get(name(key)).filter("another"::equals).isPresent())
                .forEach(probe -> probe.command("DEL", name(key)));
    }

    private static Outcome contend(RedlockTestClient other, List<HeldLock> held) {
        int found = 0;
        boolean guarded = false;
        while (held.stream().anyMatch(HeldLock::isHeld)) {
            for (HeldLock first : held) {
                boolean quarantined = isQuarantined(other);
                free(key(first));
                Optional<HeldLock> second = tryAcquire(other, key(first));
                found += second.isPresent() && first.isHeld() && second.get().isHeld() ? 1 : 0;
                // The quarantine begins after the lease, and is no shorter: it was not over when the lock was tried.
                guarded |= quarantined && first.isHeld();
                second.ifPresent(HeldLock::release);
                second.ifPresent(taken -> first.release());
            }
        }
        // The guard keeps the locks from all only for as long as they were held.
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> held.stream()
                        .allMatch(lock -> tryAcquire(other, key(lock))
                                .map(HeldLock::release)
                                .isPresent()));
        return new Outcome(found, guarded ? 1 : 0);
    }

    private static boolean isQuarantined(RedlockTestClient client) {
        return String.valueOf(client.status().details().get("nodes")).contains("quarantined for another");
    }

    private static LockKey key(HeldLock held) {
        return held.sequencers().get(0).key();
    }

    private static Optional<HeldLock> tryAcquire(RedlockTestClient client, LockKey key) {
        try {
            return client.locks.tryAcquire(request(client, key));
        } catch (LockUnavailableException guarded) {
            return Optional.empty();
        }
    }

    private static LockRequest request(RedlockTestClient client, LockKey key) {
        return client.locks.request(key).withLeaseTime(LEASE).withRenew(false);
    }
}
