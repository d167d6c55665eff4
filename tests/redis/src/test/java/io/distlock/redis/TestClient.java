package io.distlock.redis;

import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.ProviderStatus;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisEndpoint;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** All that one application has: runtime, connections, provider and client. */
public final class TestClient implements AutoCloseable {

    public static final Duration PATIENCE = Duration.ofSeconds(30);

    /** For tests of anything but silence: this machine may stand still for longer than a call may take. */
    public static final RedisLockOptions PATIENT = RedisLockOptions.defaults()
            .withCallTimeout(Duration.ofSeconds(10))
            .withConnectTimeout(Duration.ofSeconds(10));

    public final LockRuntime runtime = LockRuntime.start();
    public final RedisConnections connections;
    public final RedisLockProvider provider;
    public final LockClient locks;

    private TestClient(LettuceConnectionFactory factory, RedisLockOptions options, LockOptions lockOptions) {
        connections = RedisConnections.like(factory, options.callTimeout(), options.connectTimeout());
        provider = new RedisLockProvider(runtime, connections, options);
        locks = LockClientBuilder.of(provider, runtime)
                .options(lockOptions)
                .shutdownTimeout(Duration.ZERO)
                .build();
    }

    public static TestClient of(RedisEndpoint endpoint) {
        return of(endpoint, PATIENT);
    }

    public static TestClient of(RedisEndpoint endpoint, RedisLockOptions options) {
        return of(LocalRedis.factory(endpoint), options);
    }

    /** One that is connected: how long a cold driver takes is no matter of the tests. */
    public static TestClient of(LettuceConnectionFactory factory, RedisLockOptions options) {
        TestClient client = unconnected(factory, options);
        client.awaitUp();
        client.warmUp();
        return client;
    }

    public static TestClient unconnected(LettuceConnectionFactory factory, RedisLockOptions options) {
        return new TestClient(
                factory,
                options,
                LockOptions.defaults().withWaitTime(Duration.ZERO).withLeaseTime(Duration.ofSeconds(60)));
    }

    public void awaitUp() {
        await().atMost(PATIENCE).until(() -> get(provider.check()).state() != ProviderStatus.State.DOWN);
    }

    /** Not closed: whether it outlasts its short lease is no matter either. */
    private void warmUp() {
        locks.acquire(locks.request("warm").withLeaseTime(Duration.ofSeconds(1)).withWaitTime(PATIENCE))
                .release();
    }

    public LeaseRequest request(LockKey key, LockMode mode, String owner, LockOptions options) {
        return new LeaseRequest(key, mode, owner, options, Deadline.in(options.waitTime(), runtime.ticker()));
    }

    public static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | InterruptedException | TimeoutException failure) {
            throw new AssertionError("no answer", failure);
        }
    }

    @Override
    public void close() {
        locks.close();
        provider.close();
        connections.close();
        runtime.close();
    }
}
