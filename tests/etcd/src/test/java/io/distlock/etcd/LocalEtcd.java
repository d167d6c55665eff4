package io.distlock.etcd;

import static org.awaitility.Awaitility.await;

import io.distlock.spi.ProviderStatus;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdEndpoint;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Connections as an application would have them. */
final class LocalEtcd {

    /** On a machine that is busy, an answer may take its time without anything being wrong. */
    static final EtcdLockOptions PATIENT = EtcdLockOptions.defaults().withCallTimeout(Duration.ofSeconds(10));

    private LocalEtcd() {}

    static EtcdConnection connection(EtcdEndpoint... endpoints) {
        return connection(List.of(endpoints), PATIENT);
    }

    static EtcdConnection connection(List<EtcdEndpoint> endpoints, EtcdLockOptions options) {
        return EtcdConnection.to(
                EtcdServers.at(endpoints.stream().map(EtcdEndpoint::uri).toList()), options);
    }

    /** How long a cold driver takes is no matter of the tests. */
    static void warmUp(EtcdConnection connection) {
        try (LockRuntime runtime = LockRuntime.start();
                EtcdLockProvider provider = new EtcdLockProvider(runtime, connection, EtcdLockOptions.defaults())) {
            awaitUp(provider);
        }
    }

    static void awaitUp(EtcdLockProvider provider) {
        await().atMost(TestClient.PATIENCE)
                .until(() -> provider.check().toCompletableFuture().join().state() == ProviderStatus.State.UP);
    }

    /** Returns when there is more time left than a moment before: without a keepalive there is less and less. */
    static void awaitExtended(Supplier<Duration> timeLeft) {
        Duration[] least = {Duration.ofDays(1)};
        await().atMost(TestClient.PATIENCE).until(() -> {
            Duration left = timeLeft.get();
            least[0] = left.compareTo(least[0]) < 0 ? left : least[0];
            return left.compareTo(least[0]) > 0;
        });
    }
}
