package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;

/** The annotation in an application as a user writes it. */
@SpringBootTest(
        classes = DistributedLockTests.Application.class,
        properties = {"distributed-lock.provider=in-memory", "distributed-lock.wait-time=50ms"})
class DistributedLockTests {

    private static final LockKey ORDER_42 = LockKey.of("orders", "42");

    @Autowired
    Orders orders;

    @Autowired
    LockClient client;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {

        @DistributedLock(name = "orders", key = "#id")
        public List<LockKey> ship(long id) {
            return LockContext.current().keys();
        }

        @DistributedLock(name = "count", waitTime = "1m")
        @SuppressWarnings("ThreadPriorityCheck") // the point is to let others run in between
        public void count(int[] counter) {
            int before = counter[0];
            Thread.yield();
            counter[0] = before + 1;
        }
    }

    @Test
    void theMethodRunsUnderItsLockAndGivesItBack() {
        assertThat(orders.ship(42)).containsExactly(ORDER_42);
        assertThat(client.inspect(ORDER_42)).isEmpty();
    }

    @Test
    void theMethodDoesNotRunWhileAnotherHoldsTheLock() {
        try (HeldLock other = client.acquire(client.request(ORDER_42))) {
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> orders.ship(42));
            assertThat(orders.ship(43)).isNotEmpty();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void callsOnManyThreadsNeverOverlap() throws Exception {
        int[] counter = {0};
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Object>> calls = Collections.nCopies(400, Executors.callable(() -> orders.count(counter)));
            for (Future<?> call : threads.invokeAll(calls)) {
                call.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(counter[0]).isEqualTo(400);
    }
}
