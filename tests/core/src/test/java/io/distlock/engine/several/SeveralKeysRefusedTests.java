package io.distlock.engine.several;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.engine.ManualEngine;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SeveralKeysRefusedTests {

    @Test
    void theFailureNamesTheKeyThatIsBusy() {
        ManualEngine here = new ManualEngine();
        here.other.acquire(here.now("b"));
        LockRequest both =
                here.client.request(List.of(LockKey.of("a"), LockKey.of("b"))).withWaitTime(Duration.ZERO);
        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> here.client.acquire(both))
                .satisfies(busy -> assertThat(busy.key()).isEqualTo(LockKey.of("b")));
        assertThat(here.client.acquireAsync(both))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        LockNotAcquiredException.class,
                        busy -> assertThat(busy.key()).isEqualTo(LockKey.of("b")));
    }

    /** Nobody has held it. */
    @Test
    void aKeyTakenBeforeTheBusyOneIsNotKeptForTheMinimumHoldTime() {
        ManualEngine here = new ManualEngine();
        here.other.acquire(here.now("b"));
        LockRequest both =
                here.client.request(List.of(LockKey.of("a"), LockKey.of("b"))).withMinHoldTime(Duration.ofMinutes(1));
        assertThat(here.client.tryAcquire(both.withWaitTime(Duration.ZERO))).isEmpty();
        assertThat(here.isFree("a")).isTrue();
    }

    @Test
    void theFailureNamesTheKeyThatWasLostWhileAnotherWasWaitedFor() {
        ManualEngine here = new ManualEngine();
        HeldLock last = here.other.acquire(here.now("c"));
        var asked = here.client.acquireAsync(here.client
                .request(List.of(LockKey.of("a"), LockKey.of("b"), LockKey.of("c")))
                .withWaitTime(Duration.ofMinutes(1)));
        here.deleteByHand("b");
        here.advanceMillis(10_500);
        last.release();
        assertThat(asked)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        LockUnavailableException.class,
                        lost -> assertThat(lost.key()).isEqualTo(LockKey.of("b")));
    }

    /** Or a program that then asks for one of them is told that it is busy: by its own request before. */
    @Test
    void whoIsRefusedSeveralKeysHearsOfItOnceNoneOfThemIsTaken() {
        LockRuntime runtime = ManualScheduler.runtime(new ManualTicker());
        InMemoryLockProvider store = new InMemoryLockProvider(runtime);
        FaultyLockProvider provider = new FaultyLockProvider(store);
        LockClient client = ManualEngine.client(provider, runtime);
        LockClient other = LockClientBuilder.of(store, runtime).build();
        other.acquire(other.request("orders", "2"));
        provider.onRelease(Fault.LATE);
        LockRequest both = client.request(List.of(LockKey.of("orders", "1"), LockKey.of("orders", "2")));
        var refused = client.tryAcquireAsync(both.withWaitTime(Duration.ZERO));
        assertThat(refused).isNotDone();
        provider.deliver();
        assertThat(refused).isCompletedWithValue(Optional.empty());
        assertThat(client.tryAcquire(client.request("orders", "1").withWaitTime(Duration.ZERO)))
                .isPresent();
    }
}
