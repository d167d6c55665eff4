package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

class LockViewInterruptTests {

    /** As the interface has it: only the other forms may be disturbed. */
    @Test
    void anAttemptIsMadeThoughTheThreadIsInterruptedAndTheFlagIsKept() {
        try (LockRuntime runtime = LockRuntime.start();
                LockClient client = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
                        .build()) {
            Lock lock = client.asLock(client.request("orders"));
            Thread.currentThread().interrupt();
            boolean locked = lock.tryLock();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(locked).isTrue();
            lock.unlock();
        } finally {
            Thread.interrupted();
        }
    }
}
