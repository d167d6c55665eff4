package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.redis.TestClient;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServersExtension;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A lock that is taken from a holder in another process, which may just be renewing it. */
class RedlockForcedReleaseTests {

    private static final LockKey KEY = LockKey.of("orders");
    private static final String LOCK = "lock:{orders}";

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    /** One node is down. A renewal has reached the second before the release, and the first after it. */
    @Test
    void aRenewalUnderWayDoesNotUndoIt() {
        List<RedisEndpoint> endpoints = new ArrayList<>(RedlockTestClient.endpoints(nodes));
        ManualTicker ticker = new ManualTicker();
        try (FaultProxy proxy =
                        FaultProxy.to(endpoints.get(0).host(), endpoints.get(0).port());
                LockRuntime runtime = ManualScheduler.runtime(ticker);
                RedlockConnections connections = RedlockTestClient.connections(nodes, RedlockTestClient.PATIENT);
                RedlockProvider operator = new RedlockProvider(runtime, connections, RedlockTestClient.PATIENT)) {
            endpoints.set(0, endpoints.get(0).withPort(proxy.port()));
            try (RedlockTestClient holder = RedlockTestClient.of(endpoints, RedlockTestClient.PATIENT);
                    CommandRecorder first = node(0).record()) {
                nodes.get(2).kill();
                await().atMost(RedlockTestClient.PATIENCE)
                        .until(() -> holder.status().details().get("margin").equals(0)
                                && TestClient.get(operator.check())
                                        .details()
                                        .get("margin")
                                        .equals(0));
                Lease lease = acquire(holder);
                node(1).command("PEXPIRE", LOCK, "10000");
                proxy.freeze();
                CompletableFuture<Renewal> renewal = renew(holder, lease);
                await().atMost(RedlockTestClient.PATIENCE)
                        .until(() -> node(1).ttlMillis(LOCK).orElseThrow() > 10_000);
                assertThat(TestClient.get(operator.forceRelease(KEY, lease.token())))
                        .isEqualTo(Release.RELEASED);
                proxy.thaw();
                assertThat(TestClient.get(renewal)).isEqualTo(Renewal.UNKNOWN);
                awaitRestorationBy(first, lease);
                await().atMost(RedlockTestClient.PATIENCE).until(() -> {
                    ticker.advance(Duration.ofSeconds(1));
                    return Stream.of(node(0), node(1))
                            .allMatch(node -> node.get(LOCK).isEmpty());
                });
                assertThat(TestClient.get(renew(holder, lease))).isEqualTo(Renewal.NOT_OWNER);
            }
        } finally {
            nodes.get(2).restartEmpty();
        }
    }

    /** All that are kept have one name. */
    @Test
    void whoeverLooksSeesAReaderBesideTwoThatAreKeptForTheirMinimumHoldTime() {
        try (RedlockTestClient client = RedlockTestClient.of(nodes)) {
            LockRequest reading = client.locks
                    .request(KEY)
                    .withMode(LockMode.SHARED)
                    .withWaitTime(RedlockTestClient.PATIENCE)
                    .withMinHoldTime(Duration.ofMinutes(10));
            client.locks.acquire(reading).release();
            client.locks.acquire(reading).release();
            HeldLock third = client.locks.acquire(reading);
            addUnderAnotherToken(third);
            LockStatus status = TestClient.get(client.provider.inspect(KEY)).orElseThrow();
            assertThat(status.holders())
                    .hasSize(3)
                    .extracting(LockStatus.Holder::token)
                    .doesNotHaveDuplicates();
            assertThat(TestClient.get(client.provider.forceRelease(KEY, third.fencingToken())))
                    .isEqualTo(Release.RELEASED);
        }
    }

    /** On one node, as a vote that comes after the lock was restored there. */
    private static void addUnderAnotherToken(HeldLock reader) {
        String token = ':' + reader.fencingToken().toString();
        // The lock may have been granted by the others.
        String member = await().atMost(RedlockTestClient.PATIENCE)
                .until(
                        () -> node(0).command("ZRANGE", LOCK + ":readers", "0", "-1").texts().stream()
                                .filter(each -> each.endsWith(token))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
        String expiry = Long.toString(System.currentTimeMillis() + 60_000);
        node(0).command("ZADD", LOCK + ":readers", expiry, member.replace(token, ":1"));
    }

    private static RedisProbe node(int at) {
        return nodes.get(at).probe();
    }

    private static Lease acquire(RedlockTestClient client) {
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(10));
        Deadline deadline = Deadline.in(RedlockTestClient.PATIENCE, client.runtime.ticker());
        return TestClient.get(
                        client.provider.acquire(new LeaseRequest(KEY, LockMode.EXCLUSIVE, "owner", options, deadline)))
                .orElseThrow()
                .lease();
    }

    private static CompletableFuture<Renewal> renew(RedlockTestClient client, Lease lease) {
        CompletableFuture<Renewal> renewal = new CompletableFuture<>();
        client.provider.renew(List.of(lease), (each, answer) -> renewal.complete(answer));
        return renewal;
    }

    /** Only what restores a lock names the token by itself. */
    private static void awaitRestorationBy(CommandRecorder node, Lease lease) {
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> node.commands().stream()
                        .anyMatch(command ->
                                command.words().contains(lease.token().toString())));
    }
}
