package io.distlock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What ShedLock's own tests do not ask: a store that does not answer, a lost lock, and times that are refused. */
class DistlockLockProviderTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final FaultyLockProvider store = new FaultyLockProvider(new InMemoryLockProvider(runtime));
    private final LockClient client = LockClientBuilder.of(store, runtime)
            .options(LockOptions.defaults()
                    .withWaitTime(MINUTE)
                    .withMaxHoldTime(MINUTE)
                    .withLockDelay(Duration.ZERO))
            .shutdownTimeout(Duration.ZERO)
            .build();
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
        assertThat(remaining()).isEqualTo(MINUTE);
        assertThat(client.held())
                .singleElement()
                .satisfies(held -> assertThat(held.key()).isEqualTo(LockKey.of("invoices")));
        ticker.advance(MINUTE);
        assertThat(client.inspect(LockKey.of("invoices"))).isEmpty();
    }

    @Test
    void theLongestTimeOfTheClientsLocksDoesNotApply() {
        SimpleLock lock = lock(MINUTE.multipliedBy(10), Duration.ZERO).orElseThrow();
        ticker.advance(MINUTE.multipliedBy(9));
        assertThat(lock.extend(MINUTE.multipliedBy(10), Duration.ZERO)).isPresent();
        assertThat(remaining()).isEqualTo(MINUTE.multipliedBy(10));
    }

    /** With the lock-delay, the store keeps a vanished holder's lock for longer. */
    @Test
    void otherOptionsOfTheClientApply() {
        LockClient delaying = LockClientBuilder.of(store, runtime)
                .options(LockOptions.defaults().withLockDelay(Duration.ofSeconds(7)))
                .build();
        assertThat(new DistlockLockProvider(delaying)
                        .lock(new LockConfiguration(Instant.now(), "invoices", MINUTE, Duration.ZERO)))
                .isPresent();
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(67));
    }

    @Test
    void triesOnceAndDoesNotWait() {
        lock(MINUTE, Duration.ZERO);
        assertThat(CompletableFuture.supplyAsync(() -> lock(MINUTE, Duration.ZERO)))
                .succeedsWithin(Duration.ofSeconds(30))
                .isEqualTo(Optional.empty());
    }

    @Test
    void aLockCanBeUnlockedOnAnyThreadAndTakenAgain() {
        SimpleLock lock = lock(MINUTE, Duration.ZERO).orElseThrow();
        CompletableFuture.runAsync(lock::unlock).join();
        assertThat(client.held()).isEmpty();
        assertThat(lock(MINUTE, Duration.ZERO)).isPresent();
    }

    @Test
    void anUnlockAfterTheLongestTimeDoesNotFreeTheLockOfTheNext() {
        SimpleLock late = lock(MINUTE, Duration.ZERO).orElseThrow();
        ticker.advance(MINUTE);
        assertThat(lock(MINUTE, Duration.ZERO)).isPresent();
        late.unlock();
        assertThat(remaining()).isEqualTo(MINUTE);
    }

    @Test
    void anExtensionCountsFromWhenItIsAsked() {
        SimpleLock lock = lock(MINUTE, Duration.ZERO).orElseThrow();
        ticker.advance(Duration.ofSeconds(50));
        SimpleLock extended = lock.extend(MINUTE, Duration.ZERO).orElseThrow();
        assertThat(remaining()).isEqualTo(MINUTE);
        ticker.advance(Duration.ofSeconds(59));
        assertThat(client.inspect(LockKey.of("invoices"))).isPresent();
        extended.unlock();
        assertThat(client.inspect(LockKey.of("invoices"))).isEmpty();
    }

    @Test
    void theStoreKeepsALockForItsLeastTime() {
        lock(MINUTE, Duration.ofSeconds(40)).orElseThrow().unlock();
        assertThat(client.held()).isEmpty();
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(40));
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
