package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RecordedCommand;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisReply;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A try whose connection was cut, and that Redis carries out when another try has got the lock and given it back. */
class RedisLateTryTests {

    private static final LockKey KEY = LockKey.of("orders");

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private FaultProxy proxy;
    private RedisConnections connections;
    private RedisLockProvider provider;

    @BeforeEach
    void connect() {
        proxy = FaultProxy.to(redis.server().host(), redis.server().port());
        connections = LocalRedis.connections(redis.server().endpoint().withPort(proxy.port()));
        provider = new RedisLockProvider(runtime, connections, TestClient.PATIENT);
        for (LockMode mode : LockMode.values()) {
            Grant warm = granted(acquire(mode, "warm"));
            assertThat(TestClient.get(provider.release(warm.lease(), Duration.ZERO)))
                    .isEqualTo(Release.RELEASED);
        }
    }

    @AfterEach
    void disconnect() {
        provider.close();
        connections.close();
        proxy.close();
        runtime.close();
    }

    @ParameterizedTest
    @EnumSource
    void takesNothingForLong(LockMode mode, RedisProbe probe) {
        RecordedCommand late;
        Grant grant;
        try (CommandRecorder recorder = probe.record()) {
            proxy.cutBeforeNextRequest();
            grant = granted(acquire(mode, "owner"));
            late = recorder.commands().stream()
                    .filter(command -> command.name().equals("EVALSHA"))
                    .findFirst()
                    .orElseThrow();
        }
        assertThat(TestClient.get(provider.release(grant.lease(), Duration.ZERO)))
                .isEqualTo(Release.RELEASED);
        carryOut(late, mode, probe);
        await().atMost(TestClient.PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(100));
            return probe.keys().stream().noneMatch(key -> key.startsWith("lock:{orders}"));
        });
        await().atMost(TestClient.PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(100));
            return runtime.reaper().pending() == 0;
        });
    }

    /** The store has one of them and withdraws it, the other comes after that. */
    @ParameterizedTest
    @EnumSource
    void takesNothingForLongAfterAnotherTryWasWithdrawn(LockMode mode, RedisProbe probe) {
        RecordedCommand late;
        CompletableFuture<Optional<Grant>> asked;
        try (CommandRecorder recorder = probe.record()) {
            proxy.cutBeforeNextRequest();
            asked = acquire(mode, "owner");
            // A handshake with slow replies would fail, and the store would not be asked again.
            await().atMost(TestClient.PATIENCE)
                    .until(() -> TestClient.get(provider.check()).state() != ProviderStatus.State.DOWN);
            proxy.delayReplies(Duration.ofSeconds(15));
            await().atMost(TestClient.PATIENCE).until(() -> {
                ticker.advance(Duration.ofMillis(1));
                return recorder.commands().stream()
                        .anyMatch(command -> command.name().equals("EVALSHA"));
            });
            late = recorder.commands().stream()
                    .filter(command -> command.name().equals("EVALSHA"))
                    .findFirst()
                    .orElseThrow();
        }
        assertThat(asked.cancel(true)).isTrue();
        proxy.delayReplies(Duration.ZERO);
        await().atMost(TestClient.PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(1));
            return runtime.reaper().withdrawn() == 1;
        });
        carryOut(late, mode, probe);
        await().atMost(TestClient.PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(100));
            return probe.keys().stream().noneMatch(key -> key.startsWith("lock:{orders}"));
        });
    }

    /** It would stand for the minimum hold time, which is longer than a renewal would keep it. */
    @Test
    void isLookedForAsLongAsItMayStand(RedisProbe probe) {
        Duration minHold = Duration.ofMinutes(20);
        LockOptions options = LockOptions.defaults().withMinHoldTime(minHold);
        RecordedCommand late;
        Grant grant;
        try (CommandRecorder recorder = probe.record()) {
            proxy.cutBeforeNextRequest();
            grant = granted(provider.acquire(new LeaseRequest(
                    KEY, LockMode.EXCLUSIVE, "owner", options, Deadline.in(Duration.ofMinutes(5), ticker))));
            late = recorder.commands().stream()
                    .filter(command -> command.name().equals("EVALSHA"))
                    .findFirst()
                    .orElseThrow();
        }
        TestClient.get(provider.release(grant.lease(), Duration.ZERO));
        proxy.refuse();
        proxy.cut();
        ticker.advance(minHold.dividedBy(2));
        proxy.accept();
        carryOut(late, LockMode.EXCLUSIVE, probe);
        await().atMost(TestClient.PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(100));
            return probe.keys().stream().noneMatch(key -> key.startsWith("lock:{orders}"));
        });
    }

    @ParameterizedTest
    @EnumSource
    void doesNotShortenWhatWasExtended(LockMode mode, RedisProbe probe) {
        RecordedCommand late;
        Grant grant;
        try (CommandRecorder recorder = probe.record()) {
            proxy.cutBeforeNextRequest();
            grant = granted(acquire(mode, "owner"));
            late = recorder.commands().stream()
                    .filter(command -> command.name().equals("EVALSHA"))
                    .findFirst()
                    .orElseThrow();
        }
        CompletableFuture<Renewal> extended = new CompletableFuture<>();
        provider.extend(grant.lease(), Duration.ofHours(1), (lease, renewal) -> extended.complete(renewal));
        assertThat(TestClient.get(extended)).isEqualTo(Renewal.RENEWED);
        RedisReply reply = probe.command(late.words().toArray(String[]::new));
        assertThat(reply.items().get(1).number())
                .as("the same grant")
                .isEqualTo(grant.lease().token().value());
        String key = mode == LockMode.SHARED ? "lock:{orders}:readers" : "lock:{orders}";
        assertThat(probe.ttlMillis(key).orElseThrow())
                .isGreaterThan(Duration.ofMinutes(30).toMillis());
        assertThat(TestClient.get(provider.release(grant.lease(), Duration.ZERO)))
                .isEqualTo(Release.RELEASED);
    }

    /** As what was cut off, and for a reader before the one that was granted. */
    private static void carryOut(RecordedCommand late, LockMode mode, RedisProbe probe) {
        String[] words = late.words().toArray(String[]::new);
        if (mode == LockMode.SHARED) {
            words[words.length - 1] = "0";
        }
        assertThat(probe.command(words).items().get(0).number()).as("granted").isOne();
    }

    /** The tries of a reader are told apart by their tokens. */
    @Test
    void readersOfEveryTryAreWithdrawn(RedisProbe probe) {
        proxy.cutBeforeNextRequest();
        Grant grant = granted(acquire(LockMode.SHARED, "owner"));
        for (int score = 1; score <= 2; score++) {
            probe.command("ZADD", "lock:{orders}:readers", "9999999999999", "owner:" + score);
        }
        TestClient.get(provider.release(grant.lease(), Duration.ZERO));
        await().atMost(TestClient.PATIENCE)
                .until(() -> probe.keys().stream().noneMatch(key -> key.startsWith("lock:{orders}")));
    }

    private CompletableFuture<Optional<Grant>> acquire(LockMode mode, String owner) {
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(5));
        return provider.acquire(
                new LeaseRequest(KEY, mode, owner, options, Deadline.in(Duration.ofMinutes(5), ticker)));
    }

    private Grant granted(CompletableFuture<Optional<Grant>> asked) {
        await().atMost(TestClient.PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(10));
            return asked.isDone();
        });
        return asked.join().orElseThrow();
    }
}
