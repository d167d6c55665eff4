package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;

/** The annotation in an application as a user writes it. */
@SpringBootTest(
        classes = DistributedLockTests.Application.class,
        properties = {"distributed-lock.provider=in-memory", "distributed-lock.wait-time=200ms"})
class DistributedLockTests {

    @Autowired
    Orders orders;

    @Autowired
    LockClient client;

    @SpringBootApplication
    static class Application {

        @org.springframework.context.annotation.Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {

        @DistributedLock(name = "orders", key = "#id")
        public List<LockKey> ship(long id) {
            return LockContext.current().keys();
        }
    }

    @Test
    void theMethodRunsUnderItsLock() {
        assertThat(orders.ship(42)).containsExactly(LockKey.of("orders", "42"));
        assertThat(client.inspect(LockKey.of("orders", "42"))).isEmpty();
    }

    @Test
    void theMethodDoesNotRunWhileAnotherHoldsTheLock() {
        try (HeldLock other = client.acquire(client.request("orders", "42"))) {
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> orders.ship(42));
            assertThat(orders.ship(43)).isNotEmpty();
            assertThat(other.isHeld()).isTrue();
        }
    }
}
