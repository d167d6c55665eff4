package io.distlock.redis.redlock.vote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.redis.TestClient;
import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockProvider;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several extensions of one lock, for different times. */
class RedlockExtensionTests {

    private static final String LOCK = "lock:{orders}";
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofSeconds(20);

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    private final LockRuntime real = LockRuntime.start();
    private final InterruptedTicker ticker = new InterruptedTicker();
    private RedlockConnections connections;
    private RedlockProvider provider;
    private Lease lease;

    /** Runs something else once, when the test's thread reads the clock. */
    private static final class InterruptedTicker implements Ticker {

        private final Thread test = Thread.currentThread();
        private Optional<Runnable> next = Optional.empty();
        private volatile long ahead;

        void meanwhile(Runnable action) {
            next = Optional.of(action);
        }

        void runAheadBy(Duration time) {
            ahead = time.toNanos();
        }

        @Override
        public long nanos() {
            if (Thread.currentThread() == test) {
                Optional<Runnable> action = next;
                next = Optional.empty();
                action.ifPresent(Runnable::run);
            }
            return Ticker.system().nanos() + ahead;
        }

        @Override
        public long wallMillis() {
            return Ticker.system().wallMillis();
        }
    }

    @BeforeEach
    void acquire() {
        LockRuntime runtime = new LockRuntime(ticker, real.scheduler());
        connections = RedlockTestClient.connections(nodes, RedlockTestClient.PATIENT);
        provider = new RedlockProvider(runtime, connections, RedlockTestClient.PATIENT);
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(20));
        Deadline deadline = Deadline.in(RedlockTestClient.PATIENCE, ticker);
        LeaseRequest request = new LeaseRequest(LockKey.of("orders"), LockMode.EXCLUSIVE, "owner", options, deadline);
        lease = TestClient.get(provider.acquire(request)).orElseThrow().lease();
    }

    @AfterEach
    void release() {
        TestClient.get(provider.release(lease, Duration.ZERO));
        provider.close();
        connections.close();
        real.close();
    }

    @Test
    void eachOfTwoAtTheSameTimeAsksForItsOwnTime() {
        ticker.meanwhile(() -> assertThat(extend(SHORT)).isEqualTo(Renewal.RENEWED));
        assertThat(extend(LONG)).isEqualTo(Renewal.RENEWED);
        nodes.all().forEach(RedlockExtensionTests::awaitLong);
    }

    @Test
    void aNodeThatLostItGetsItForTheLongestTimeAskedFor() {
        assertThat(extend(LONG)).isEqualTo(Renewal.RENEWED);
        nodes.all().forEach(RedlockExtensionTests::awaitLong);
        nodes.get(2).probe().command("DEL", LOCK);
        assertThat(extend(SHORT)).isEqualTo(Renewal.RENEWED);
        awaitLong(nodes.get(2));
    }

    @Test
    void aNodeThatLostItGetsItForNoLongerThanTheOthersHaveIt() {
        assertThat(extend(LONG)).isEqualTo(Renewal.RENEWED);
        nodes.all().forEach(RedlockExtensionTests::awaitLong);
        ticker.runAheadBy(LONG);
        nodes.all().forEach(node -> node.probe().command("PEXPIRE", LOCK, "15000"));
        nodes.get(2).probe().command("DEL", LOCK);
        assertThat(extend(SHORT)).isEqualTo(Renewal.RENEWED);
        await().atMost(RedlockTestClient.PATIENCE)
                .untilAsserted(
                        () -> assertThat(nodes.get(2).probe().ttlMillis(LOCK)).isPresent());
        assertThat(nodes.get(2).probe().ttlMillis(LOCK).orElse(0L)).isBetween(1L, SHORT.toMillis());
    }

    private Renewal extend(Duration time) {
        CompletableFuture<Renewal> answer = new CompletableFuture<>();
        provider.extend(lease, time, (same, renewal) -> answer.complete(renewal));
        return TestClient.get(answer);
    }

    private static void awaitLong(RedisServer node) {
        await().atMost(RedlockTestClient.PATIENCE)
                .untilAsserted(() ->
                        assertThat(node.probe().ttlMillis(LOCK).orElse(0L)).isGreaterThan(LONG.toMillis() / 2));
    }
}
