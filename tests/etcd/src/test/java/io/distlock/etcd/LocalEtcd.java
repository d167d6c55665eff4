package io.distlock.etcd;

import static org.awaitility.Awaitility.await;

import io.distlock.spi.ProviderStatus;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdEndpoint;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Connections as an application would have them. */
public final class LocalEtcd {

    /** On a machine that is busy, an answer may take its time without anything being wrong. */
    public static final EtcdLockOptions PATIENT = EtcdLockOptions.defaults().withCallTimeout(Duration.ofSeconds(10));

    private LocalEtcd() {}

    public static EtcdConnection connection(EtcdEndpoint... endpoints) {
        return connection(List.of(endpoints), PATIENT);
    }

    public static EtcdConnection connection(List<EtcdEndpoint> endpoints, EtcdLockOptions options) {
        EtcdServers servers =
                EtcdServers.at(endpoints.stream().map(EtcdEndpoint::uri).toList());
        return EtcdConnection.to(servers.withConnectTimeout(TestClient.PATIENCE), options);
    }

    /** How long a cold driver takes is no matter of the tests. */
    public static void warmUp(EtcdConnection connection) {
        try (LockRuntime runtime = LockRuntime.start();
                EtcdLockProvider provider = new EtcdLockProvider(runtime, connection, EtcdLockOptions.defaults())) {
            awaitUp(provider);
        }
    }

    /** What it asks at its start is answered then: it is not counted later. */
    public static void awaitUp(EtcdLockProvider provider) {
        TestClient.get(provider.connected());
        await().atMost(TestClient.PATIENCE)
                .until(() -> provider.check().toCompletableFuture().join().state() == ProviderStatus.State.UP);
    }

    /** As {@link #awaitUp}, for a provider whose timers run only if the test lets them. */
    public static void awaitConnected(EtcdLockProvider provider, ManualTicker ticker) {
        awaitWithoutTime(ticker, provider.connected()::isDone);
    }

    /** What an answer has put off for no time runs, too, whenever the answer comes. */
    public static void awaitWithoutTime(ManualTicker ticker, Callable<Boolean> condition) {
        await().atMost(TestClient.PATIENCE).until(() -> {
            ticker.advance(Duration.ZERO);
            return condition.call();
        });
    }

    /** Returns when there is more time left than a moment before: without a keepalive there is less and less. */
    public static void awaitExtended(Supplier<Duration> timeLeft) {
        Duration[] least = {Duration.ofDays(1)};
        await().atMost(TestClient.PATIENCE).until(() -> {
            Duration left = timeLeft.get();
            least[0] = left.compareTo(least[0]) < 0 ? left : least[0];
            return left.compareTo(least[0]) > 0;
        });
    }
}
