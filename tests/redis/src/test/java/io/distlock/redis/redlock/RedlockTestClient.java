package io.distlock.redis.redlock;

import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.redis.LocalRedis;
import io.distlock.redis.TestClient;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.ProviderStatus;
import io.distlock.support.LockRuntime;
import io.distlock.tck.StoreTraits;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** All that one application has that locks on several servers: runtime, connections, provider and client. */
public final class RedlockTestClient implements AutoCloseable {

    public static final Duration PATIENCE = TestClient.PATIENCE;

    /** For servers that a test has just started: the guard's tests are for themselves. */
    public static final RedlockOptions UNGUARDED = RedlockOptions.defaults().withoutRestartGuard();

    /** For a machine that is slow, where that is not what a test is about. */
    public static final RedlockOptions PATIENT =
            UNGUARDED.withCallTimeout(Duration.ofSeconds(10)).withConnectTimeout(Duration.ofSeconds(10));

    public static final StoreTraits TRAITS = new StoreTraits(false, Duration.ofMillis(1_600), Duration.ofMillis(500));

    public final LockRuntime runtime = LockRuntime.start();
    public final RedlockConnections connections;
    public final RedlockProvider provider;
    public final LockClient locks;

    private RedlockTestClient(List<RedisEndpoint> nodes, RedlockOptions options) {
        connections = connections(nodes, options);
        provider = new RedlockProvider(runtime, connections, options);
        locks = LockClientBuilder.of(provider, runtime)
                .options(LockOptions.defaults().withWaitTime(Duration.ZERO))
                .shutdownTimeout(Duration.ZERO)
                .build();
    }

    /** One that is connected: how long a cold driver takes is no matter of the tests. */
    public static RedlockTestClient of(RedisServersExtension nodes) {
        return of(endpoints(nodes), PATIENT);
    }

    public static RedlockTestClient of(List<RedisEndpoint> nodes, RedlockOptions options) {
        RedlockTestClient client = unconnected(nodes, options);
        client.awaitUp();
        client.warmUp();
        return client;
    }

    public static RedlockTestClient unconnected(List<RedisEndpoint> nodes, RedlockOptions options) {
        return new RedlockTestClient(nodes, options);
    }

    /** For the contract: one that has taken a lock, since what a cold driver takes would count against short leases. */
    public static RedlockProvider warmProvider(LockRuntime runtime, RedlockConnections connections) {
        RedlockProvider provider = new RedlockProvider(runtime, connections, PATIENT);
        LeaseRequest request = new LeaseRequest(
                LockKey.of("warm", UUID.randomUUID().toString()),
                LockMode.EXCLUSIVE,
                "warm",
                LockOptions.defaults(),
                Deadline.in(PATIENCE, runtime.ticker()));
        Lease lease = TestClient.get(provider.acquire(request)).orElseThrow().lease();
        TestClient.get(provider.release(lease, Duration.ZERO));
        return provider;
    }

    public static RedlockConnections connections(RedisServersExtension nodes, RedlockOptions options) {
        return connections(endpoints(nodes), options);
    }

    public static RedlockConnections connections(List<RedisEndpoint> nodes, RedlockOptions options) {
        return RedlockConnections.to(nodes.stream().map(LocalRedis::factory).toList(), options);
    }

    public static String counter(RedisProbe node) {
        return node.get("lock:fence").orElseThrow();
    }

    public static List<RedisEndpoint> endpoints(RedisServersExtension nodes) {
        return nodes.all().stream().map(RedisServer::endpoint).toList();
    }

    public ProviderStatus status() {
        return TestClient.get(provider.check());
    }

    /** Not closed: whether it outlasts its short lease is no matter either. */
    private void warmUp() {
        locks.acquire(locks.request("warm").withLeaseTime(Duration.ofSeconds(1)).withWaitTime(PATIENCE))
                .release();
    }

    public void awaitUp() {
        await().atMost(PATIENCE).until(() -> status().state() == ProviderStatus.State.UP);
    }

    @Override
    public void close() {
        locks.close();
        provider.close();
        connections.close();
        runtime.close();
    }
}
