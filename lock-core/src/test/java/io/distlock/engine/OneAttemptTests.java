package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OneAttemptTests {

    /** The scheduler comes by at the deadline, which for one attempt is at once: before the provider was asked. */
    @Test
    void aProviderThatIsSlowToStartIsNotTakenForABusyLock() {
        try (LockRuntime runtime = LockRuntime.start();
                LockClient client = LockClientBuilder.of(slowToStart(), runtime).build()) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> client.tryAcquire(client.request("orders").withWaitTime(Duration.ZERO)));
        }
    }

    /** Or else the next attempt, made at once, finds the last one at the gate and is refused without being asked. */
    @Test
    void anAttemptHasLeftTheGateWhenItsCallerHearsOfTheRefusal() {
        AtomicInteger asked = new AtomicInteger();
        int rounds = 2_000;
        ExecutorService store = Executors.newSingleThreadExecutor();
        LockProvider busy = provider(() -> {
            asked.incrementAndGet();
            return CompletableFuture.supplyAsync(Optional::empty, store);
        });
        try (LockRuntime runtime = LockRuntime.start();
                LockClient client = LockClientBuilder.of(busy, runtime).build()) {
            LockRequest request = client.request("orders").withWaitTime(Duration.ZERO);
            for (int round = 0; round < rounds; round++) {
                assertThat(client.tryAcquire(request)).isEmpty();
            }
        } finally {
            store.shutdown();
        }
        assertThat(asked).hasValue(rounds);
    }

    private static LockProvider slowToStart() {
        return provider(() -> {
            new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS);
            return CompletableFuture.failedFuture(new IllegalStateException("no connection"));
        });
    }

    private static LockProvider provider(Callable<CompletableFuture<?>> acquire) {
        return (LockProvider) Proxy.newProxyInstance(
                LockProvider.class.getClassLoader(),
                new Class<?>[] {LockProvider.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "callTimeout" -> Duration.ofSeconds(30);
                    case "connected" -> CompletableFuture.completedFuture(true);
                    case "acquire" -> acquire.call();
                    default -> "stub";
                });
    }
}
