package io.distlock.etcd;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdEndpoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** All that one application has: runtime, connection, provider and client. Waits for nothing by itself. */
public final class TestClient implements AutoCloseable {

    public static final Duration PATIENCE = Duration.ofMinutes(1);

    public final LockRuntime runtime = LockRuntime.start();
    public final EtcdConnection connection;
    public final EtcdLockProvider provider;
    public final LockClient locks;

    private TestClient(EtcdConnection connection, EtcdLockOptions options, LockOptions lockOptions) {
        this.connection = connection;
        provider = new EtcdLockProvider(runtime, connection, options);
        locks = LockClientBuilder.of(provider, runtime)
                .options(lockOptions)
                .shutdownTimeout(Duration.ZERO)
                .build();
    }

    /** Its leases are long enough for nothing to be extended during a test. */
    public static TestClient of(EtcdEndpoint endpoint) {
        return of(endpoint, LocalEtcd.PATIENT, Duration.ofMinutes(2));
    }

    public static TestClient of(EtcdEndpoint endpoint, EtcdLockOptions options, Duration leaseTime) {
        return of(LocalEtcd.connection(List.of(endpoint), options), options, leaseTime);
    }

    /** One that is connected: how long a cold driver takes is no matter of the tests. */
    public static TestClient of(EtcdConnection connection, EtcdLockOptions options, Duration leaseTime) {
        TestClient client = new TestClient(
                connection,
                options,
                LockOptions.defaults().withWaitTime(Duration.ZERO).withLeaseTime(leaseTime));
        LocalEtcd.awaitUp(client.provider);
        return client;
    }

    public int waiters(LockKey key) {
        return locks.inspect(key).orElseThrow().waiters().orElseThrow();
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
        connection.close();
        runtime.close();
    }
}
