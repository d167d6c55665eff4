package io.distlock.redis.redlock.vote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.redis.TestClient;
import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockProvider;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clocks that are stepped, of this machine and of a node. */
class RedlockClockTests {

    private static final Duration LEASE = Duration.ofSeconds(2);

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    /** The machine's clocks, the wall clock of which an administrator may step. */
    private static final class SteppedTicker implements Ticker {

        private final AtomicLong step = new AtomicLong();

        @Override
        public long nanos() {
            return Ticker.system().nanos();
        }

        @Override
        public long wallMillis() {
            return Ticker.system().wallMillis() + step.get();
        }

        void step(Duration by) {
            step.addAndGet(by.toMillis());
        }
    }

    @Test
    void aWallClockSetForwardByAnHourMakesNobodyBelieveInALockForLonger() {
        assertThat(lossAfterStep(Duration.ofHours(1))).isEqualTo(LockLoss.Reason.EXPIRED);
    }

    @Test
    void aWallClockSetBackByAnHourMakesNobodyBelieveInALockForLonger() {
        assertThat(lossAfterStep(Duration.ofHours(-1))).isEqualTo(LockLoss.Reason.EXPIRED);
    }

    /** The lock is lost, and never said to be held once another has it. */
    private static LockLoss.Reason lossAfterStep(Duration step) {
        SteppedTicker ticker = new SteppedTicker();
        try (LockRuntime real = LockRuntime.start();
                RedlockTestClient other = RedlockTestClient.of(nodes);
                RedlockConnections connections = RedlockTestClient.connections(nodes, RedlockTestClient.UNGUARDED)) {
            LockRuntime stepped = new LockRuntime(ticker, real.scheduler());
            try (RedlockProvider provider = new RedlockProvider(stepped, connections, RedlockTestClient.UNGUARDED);
                    LockClient client = LockClientBuilder.of(provider, stepped)
                            .shutdownTimeout(Duration.ZERO)
                            .build()) {
                HeldLock held = client.acquire(client.request("orders")
                        .withLeaseTime(LEASE)
                        .withRenew(false)
                        .withWaitTime(RedlockTestClient.PATIENCE));
                ticker.step(step);
                try (HeldLock next =
                        other.locks.acquire(other.locks.request("orders").withWaitTime(RedlockTestClient.PATIENCE))) {
                    assertThat(held.isHeld()).isFalse();
                    assertThat(next.isHeld()).isTrue();
                }
                return TestClient.get(held.lost().thenApply(LockLoss::reason));
            }
        }
    }

    /** A server's clock that leaps forward frees its keys early: no harm on one node, as the docs say, but on a majority. */
    @Test
    void aNodeWhoseClockLeapsForwardIsOneNodeThatForgets() {
        try (RedlockTestClient one = RedlockTestClient.of(nodes);
                RedlockTestClient other = RedlockTestClient.of(nodes)) {
            HeldLock held = one.locks.acquire(one.locks.request("orders"));
            awaitOnAllNodes("orders");
            step("orders", 0, Duration.ofHours(1));
            assertThat(other.locks.tryAcquire(other.locks.request("orders"))).isEmpty();
            step("orders", 0, Duration.ofHours(1));
            step("orders", 1, Duration.ofHours(1));
            Optional<HeldLock> second = other.locks.tryAcquire(other.locks.request("orders"));
            assertThat(second).isPresent();
            // Both believe in it: what is left is the token.
            assertThat(held.isHeld()).isTrue();
            assertThat(second.orElseThrow().fencingToken()).isGreaterThan(held.fencingToken());
            second.orElseThrow().release();
        }
    }

    /** Whichever node it is. */
    @Test
    void aNodeWhoseClockIsSetBackKeepsTheLockOfADeadHolderForLongerAndIsOutvoted() {
        List<String> names = List.of("a", "d", "g");
        try (RedlockTestClient other = RedlockTestClient.of(nodes)) {
            // Ends once the clocks have been set, however long that takes.
            LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(10));
            List<Lease> dead = new ArrayList<>();
            for (int node = 0; node < names.size(); node++) {
                dead.add(TestClient.get(other.provider.acquire(new LeaseRequest(
                                LockKey.of(names.get(node)),
                                LockMode.EXCLUSIVE,
                                "dead",
                                options,
                                Deadline.in(RedlockTestClient.PATIENCE, other.runtime.ticker()))))
                        .orElseThrow()
                        .lease());
                awaitOnAllNodes(names.get(node));
                step(names.get(node), node, Duration.ofHours(-1));
                expireOnAllBut(node, names.get(node));
            }
            // Their last look before they give up would be too late.
            List<CompletableFuture<HeldLock>> waiting = names.stream()
                    .map(name -> other.locks.request(name).withWaitTime(RedlockTestClient.PATIENCE.multipliedBy(10)))
                    .map(other.locks::acquireAsync)
                    .toList();
            for (int node = 0; node < names.size(); node++) {
                try (HeldLock next = TestClient.get(waiting.get(node))) {
                    assertThat(next.isHeld()).isTrue();
                    assertThat(next.fencingToken()).isGreaterThan(dead.get(node).token());
                    assertThat(nodes.get(node).probe().get(lock(names.get(node))))
                            .hasValueSatisfying(value -> assertThat(value).startsWith("dead"));
                }
            }
        }
    }

    private static String lock(String name) {
        return "lock:{" + name + "}";
    }

    private static void awaitOnAllNodes(String name) {
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> nodes.all().stream()
                        .allMatch(node -> node.probe().get(lock(name)).isPresent()));
    }

    private static void expireOnAllBut(int node, String name) {
        for (int other = 0; other < nodes.all().size(); other++) {
            if (other != node) {
                nodes.get(other).probe().command("PEXPIRE", lock(name), Long.toString(LEASE.toMillis()));
            }
        }
    }

    /**
     * What a step of its clock means to the lock on a node: it ends so much earlier or later. (The clocks of this machine
     * cannot be stepped for one process.)
     */
    private static void step(String name, int node, Duration by) {
        RedisProbe probe = nodes.get(node).probe();
        probe.ttlMillis(lock(name))
                .ifPresent(left -> probe.command("PEXPIRE", lock(name), Long.toString(left - by.toMillis())));
    }
}
