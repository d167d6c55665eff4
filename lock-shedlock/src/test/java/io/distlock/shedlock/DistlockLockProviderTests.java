package io.distlock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What ShedLock's own tests do not ask: a store that does not answer, a lost lock, and times that are refused. */
class DistlockLockProviderTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final LockRuntime runtime = LockRuntime.start();
    private final FaultyLockProvider store = new FaultyLockProvider(new InMemoryLockProvider(runtime));
    private final LockClient client =
            LockClientBuilder.of(store, runtime).shutdownTimeout(Duration.ZERO).build();
    private final DistlockLockProvider provider = new DistlockLockProvider(client);

    @AfterEach
    void close() {
        client.close();
        runtime.close();
    }

    private Optional<SimpleLock> lock(Duration atMost, Duration atLeast) {
        return provider.lock(new LockConfiguration(Instant.now(), "invoices", atMost, atLeast));
    }

    private Duration remaining() {
        return client.inspect(LockKey.of("invoices"))
                .orElseThrow()
                .holders()
                .get(0)
                .remaining()
                .orElseThrow();
    }

    @Test
    void theLeaseIsTheLongestTimeAndIsNotRenewed() {
        assertThat(lock(MINUTE, Duration.ZERO)).isPresent();
        assertThat(remaining()).isLessThanOrEqualTo(MINUTE).isGreaterThan(Duration.ofSeconds(30));
        assertThat(client.held())
                .singleElement()
                .satisfies(held -> assertThat(held.key()).isEqualTo(LockKey.of("invoices")));
    }

    @Test
    void aStoreThatDoesNotAnswerIsNotALockHeldByAnother() {
        store.onAcquire(Fault.ERROR);
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> lock(MINUTE, Duration.ZERO))
                .withCauseInstanceOf(LockUnavailableException.class);
    }

    @Test
    void anExtensionThatIsNotAnsweredIsNotARefusal() {
        SimpleLock lock = lock(MINUTE, Duration.ZERO).orElseThrow();
        store.onRenew(Fault.REPLY_LOST);
        assertThatExceptionOfType(LockException.class).isThrownBy(() -> lock.extend(MINUTE, Duration.ZERO));
        store.heal();
        assertThat(lock.extend(MINUTE, Duration.ZERO)).isPresent();
    }

    @Test
    void aLockThatWasTakenAwayIsNotExtended() {
        SimpleLock lock = lock(MINUTE, Duration.ZERO).orElseThrow();
        client.held().forEach(held -> client.forceRelease(held.key(), held.token()));
        assertThat(lock.extend(MINUTE, Duration.ZERO)).isEmpty();
    }

    /** Not this process, which may end with the job. */
    @Test
    void theStoreKeepsTheLeastTimeOfAnExtensionAndNotTheWholeLongestTime() {
        SimpleLock lock = lock(MINUTE, Duration.ZERO).orElseThrow();
        lock.extend(MINUTE.multipliedBy(2), MINUTE).orElseThrow().unlock();
        assertThat(client.held()).isEmpty();
        assertThat(remaining()).isLessThanOrEqualTo(MINUTE).isGreaterThan(Duration.ofSeconds(30));
    }

    @Test
    void anExtensionDoesNotEndTheLeastTimeEarlier() {
        SimpleLock lock = lock(MINUTE, MINUTE).orElseThrow();
        lock.extend(MINUTE, Duration.ZERO).orElseThrow().unlock();
        assertThat(remaining()).isGreaterThan(Duration.ofSeconds(30));
    }

    @Test
    void timesOutOfRangeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock(Duration.ofMillis(50), Duration.ZERO))
                .withMessageContaining("lease time 50ms is out of range");
    }
}
