package io.distlock.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.etcd.EtcdServers;
import io.distlock.etcd.TestClient;
import io.distlock.support.LockRuntime;
import io.distlock.test.fault.FaultProxy;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Acquisitions that end before they have got as far as a session. */
class EtcdUnreachableTests {

    /** At any moment some of them pause between two tries. */
    private static final List<String> KEYS = List.of("a", "b", "c", "d", "e", "f", "g", "h");

    private static final Duration LONG = Duration.ofMinutes(5);

    private final EtcdLockOptions options = EtcdLockOptions.defaults().withCallTimeout(Duration.ofMillis(200));

    private FaultProxy dead;
    private LockRuntime runtime;
    private EtcdConnection connection;
    private EtcdLockProvider provider;
    private LockClient locks;

    @BeforeEach
    void open() {
        dead = FaultProxy.to("localhost", 1);
        dead.refuse();
        runtime = LockRuntime.start();
        connection = EtcdConnection.to(EtcdServers.at(List.of(URI.create("http://localhost:" + dead.port()))), options);
        provider = new EtcdLockProvider(runtime, connection, options);
        locks = LockClientBuilder.of(provider, runtime)
                .shutdownTimeout(Duration.ZERO)
                .build();
    }

    @AfterEach
    void close() {
        locks.close();
        provider.close();
        connection.close();
        runtime.close();
        dead.close();
    }

    /** Calls that wait behind another are told what it has heard. */
    private void awaitFailure(String key) {
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(
                                () -> locks.acquire(locks.request(key).withWaitTime(Duration.ofMillis(20))))
                        .hasMessageContaining("granting a lease"));
    }

    @Test
    void oneThatIsInterruptedSaysSo() {
        Map<Thread, CompletableFuture<Throwable>> outcomes = new HashMap<>();
        for (String key : KEYS) {
            CompletableFuture<Throwable> outcome = new CompletableFuture<>();
            Thread caller = new Thread(() -> {
                try {
                    locks.acquire(locks.request(key).withWaitTime(LONG));
                } catch (RuntimeException failure) {
                    outcome.complete(failure);
                }
            });
            outcomes.put(caller, outcome);
            caller.start();
        }
        KEYS.forEach(this::awaitFailure);
        outcomes.keySet().forEach(Thread::interrupt);
        outcomes.values()
                .forEach(outcome -> assertThat(TestClient.get(outcome)).isInstanceOf(LockInterruptedException.class));
    }

    @Test
    void theClientCloses() {
        List<CompletableFuture<HeldLock>> waiters = KEYS.stream()
                .map(key -> locks.acquireAsync(locks.request(key).withWaitTime(LONG)))
                .toList();
        KEYS.forEach(this::awaitFailure);
        assertThatCode(locks::close).doesNotThrowAnyException();
        assertThat(waiters)
                .allSatisfy(waiter -> assertThat(waiter)
                        .failsWithin(TestClient.PATIENCE)
                        .withThrowableThat()
                        .withCauseInstanceOf(LockUnavailableException.class));
    }
}
