package io.distlock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.redis.TestClient;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.redis.script.RedisKeys;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.test.redis.RedisCredentials;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The rights that the configuration page lists are enough, and none of them is idle. */
class RedisRightsTests {

    private static final String LINE = "ACL SETUSER locker ";
    private static final String PASSWORD = "secret";
    private static final LockKey KEY = LockKey.of("orders");

    /** Of which two thirds may pass in a stall between renewals; the quarantine cannot be shorter. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    @BeforeEach
    void needsRedis7() {
        // Before, neither rights nor statistics tell subcommands apart.
        assumeThat(nodes.get(0).probe().info("server").get("redis_version")).doesNotStartWith("6.");
    }

    @Test
    void theRightsThatAreDocumentedAreAllThatLocksNeed() throws IOException {
        String[] rights = documented();
        nodes.all().forEach(node -> {
            node.probe().command(rights);
            node.probe().command("CONFIG", "RESETSTAT");
        });
        try (TestClient single = TestClient.of(endpoint(nodes.get(0)), TestClient.PATIENT)) {
            use(single.locks, single.provider);
            assertThat(TestClient.get(single.provider.check()).state()).isEqualTo(ProviderStatus.State.UP);
        }
        List<RedisEndpoint> endpoints =
                nodes.all().stream().map(RedisRightsTests::endpoint).toList();
        RedlockOptions guarded = RedlockTestClient.PATIENT.withRestartGuard(LEASE);
        try (RedlockTestClient majority = RedlockTestClient.of(endpoints, guarded)) {
            use(majority.locks, majority.provider);
            letANodeForget(majority.locks);
        }
        assertThat(nodes.all())
                .allSatisfy(
                        node -> assertThat(node.probe().command("ACL", "LOG").toString())
                                .doesNotContain("reason"));
        assertThat(called()).containsAll(granted(rights));
    }

    private static String[] documented() throws IOException {
        String line = Files.readAllLines(Path.of("..", "..", "docs", "configuration.md")).stream()
                .map(String::strip)
                .filter(each -> each.startsWith(LINE))
                .findFirst()
                .orElseThrow();
        return line.split(" ");
    }

    private static RedisEndpoint endpoint(RedisServer server) {
        return new RedisEndpoint(
                server.host(),
                server.port(),
                Optional.of(new RedisCredentials(Optional.of("locker"), PASSWORD)),
                Optional.empty());
    }

    /** All that a client does with a lock. */
    private static void use(LockClient locks, LockProvider provider) {
        for (LockMode mode : LockMode.values()) {
            LockRequest request =
                    locks.request(KEY).withMode(mode).withLeaseTime(LEASE).withWaitTime(TestClient.PATIENCE);
            HeldLock held = locks.acquire(request);
            awaitRenewal(provider);
            LockRequest alone = request.withMode(LockMode.EXCLUSIVE);
            CompletableFuture<HeldLock> next = locks.acquireAsync(alone);
            assertThat(held.release()).isEqualTo(Release.RELEASED);
            TestClient.get(next).close();
            // The next one waits at the store, unless this machine is slower.
            await().atMost(TestClient.PATIENCE).until(() -> {
                locks.acquire(request.withMinHoldTime(Duration.ofMillis(200))).close();
                locks.acquire(alone).close();
                return isAwaited();
            });
            HeldLock taken = locks.acquire(request.withRenew(false));
            FencingToken token = taken.fencingToken();
            assertThat(TestClient.get(provider.forceRelease(KEY, token))).isEqualTo(Release.RELEASED);
            // A client stops listening after a few messages for nobody.
            await().atMost(TestClient.PATIENCE).until(() -> {
                locks.acquire(request).close();
                return !isAwaited();
            });
        }
    }

    /** Also for a while after the last waiter. */
    private static boolean isAwaited() {
        return nodes.all().stream()
                .anyMatch(node -> !node.probe().pubsubChannels().isEmpty());
    }

    private static void awaitRenewal(LockProvider provider) {
        AtomicReference<Duration> least = new AtomicReference<>(Duration.ofDays(1));
        await().atMost(TestClient.PATIENCE).until(() -> {
            Duration left = left(provider);
            least.accumulateAndGet(left, (one, other) -> one.compareTo(other) < 0 ? one : other);
            return left.compareTo(least.get().plusMillis(200)) > 0;
        });
    }

    private static Duration left(LockProvider provider) {
        LockStatus status = TestClient.get(provider.inspect(KEY)).orElseThrow();
        return status.holders().get(0).remaining().orElseThrow();
    }

    /** A renewal puts the lock back. */
    private static void letANodeForget(LockClient locks) {
        RedisKeys.Names names = new RedisKeys("lock", 0).of(KEY);
        RedisProbe node = nodes.get(0).probe();
        for (LockMode mode : LockMode.values()) {
            LockRequest request = locks.request(KEY).withMode(mode).withLeaseTime(LEASE);
            try (HeldLock held = locks.acquire(request.withWaitTime(TestClient.PATIENCE))) {
                String key = mode == LockMode.SHARED ? names.readers() : names.lock();
                await().atMost(TestClient.PATIENCE).until(() -> node.keys().contains(key));
                node.command("UNLINK", key);
                await().atMost(TestClient.PATIENCE).until(() -> node.keys().contains(key));
                assertThat(held.isHeld()).isTrue();
            }
        }
    }

    private static Set<String> granted(String[] rights) {
        return Arrays.stream(rights)
                .filter(right -> right.startsWith("+"))
                .map(right -> "cmdstat_" + right.substring(1))
                .collect(Collectors.toSet());
    }

    private static Set<String> called() {
        Set<String> called = new HashSet<>();
        nodes.all()
                .forEach(node -> called.addAll(node.probe().info("commandstats").keySet()));
        return called;
    }
}
