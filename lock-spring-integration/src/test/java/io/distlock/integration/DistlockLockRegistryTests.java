package io.distlock.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

@SuppressWarnings("LockNotBeforeTry") // what holds between lock and unlock is what the tests are about
class DistlockLockRegistryTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final InMemoryLockProvider store = new InMemoryLockProvider(runtime);
    private final LockClient client = LockClientBuilder.of(store, runtime).build();
    private final DistlockLockRegistry registry = new DistlockLockRegistry(client, "orders");
    private final DistlockLockRegistry elsewhere =
            new DistlockLockRegistry(LockClientBuilder.of(store, runtime).build(), "orders");

    private boolean isFree() {
        return client.inspect(LockKey.of("orders", "42")).isEmpty();
    }

    @Test
    void aLockIsAnItemUnderTheNameOfTheRegistryAndExcludesOtherRegistries() {
        DistributedLock lock = registry.obtain("42");
        lock.lock();
        assertThat(client.held())
                .singleElement()
                .satisfies(held -> assertThat(held.key()).isEqualTo(LockKey.of("orders", "42")));
        assertThat(elsewhere.obtain("42").tryLock()).isFalse();
        lock.unlock();
        assertThat(elsewhere.obtain("42").tryLock()).isTrue();
    }

    @Test
    void aKeyHasOneLockWhichAThreadEntersAgain() {
        registry.obtain(42).lock();
        assertThat(registry.obtain("42").tryLock()).isTrue();
        registry.obtain("42").unlock();
        assertThat(isFree()).isFalse();
        registry.obtain("42").unlock();
        assertThat(isFree()).isTrue();
    }

    @Test
    void aLockIsRenewedWhileItIsHeld() {
        DistributedLock lock = registry.obtain("42");
        lock.lock();
        ticker.advance(MINUTE.multipliedBy(10));
        registry.renewLock("42");
        assertThat(isFree()).isFalse();
        lock.unlock();
    }

    @Test
    void aTimeToLiveThatACallNamesIsNotRenewedButByTheHolder() throws InterruptedException {
        DistributedLock lock = registry.obtain("42");
        assertThat(lock.tryLock(Duration.ZERO, MINUTE)).isTrue();
        ticker.advance(Duration.ofSeconds(50));
        registry.renewLock("42", MINUTE);
        ticker.advance(Duration.ofSeconds(50));
        assertThat(isFree()).isFalse();
        registry.renewLock("42");
        ticker.advance(Duration.ofSeconds(59));
        assertThat(isFree()).isFalse();
        ticker.advance(Duration.ofSeconds(1));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> registry.renewLock("42"));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void onlyTheHolderRenews() throws Exception {
        registry.obtain("42").lock();
        assertThat(onAnotherThread(() -> {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> registry.renewLock("42"))
                            .withMessageContaining("lock '42' is not held by thread");
                    return true;
                }))
                .isTrue();
        assertThatIllegalStateException().isThrownBy(() -> registry.renewLock("43"));
    }

    @Test
    void locksThatWereObtainedBeforeAndAfterAnExpiryAreOne() throws Exception {
        DistributedLock earlier = registry.obtain("42");
        registry.expireUnusedOlderThan(0);
        DistributedLock later = registry.obtain("42");
        earlier.lock();
        boolean elsewhere = onAnotherThread(later::tryLock);
        assertThat(elsewhere).isFalse();
        assertThat(later.tryLock()).isTrue();
        earlier.unlock();
        registry.renewLock("42");
        assertThat(isFree()).isFalse();
        later.unlock();
        assertThat(isFree()).isTrue();
    }

    @Test
    void aLockThatNobodyUsesIsNotKept() {
        registry.obtain("42").lock();
        registry.obtain("42").unlock();
        WeakReference<DistributedLock> unused = new WeakReference<>(registry.obtain("43"));
        await().untilAsserted(() -> {
            System.gc();
            assertThat(unused.get()).isNull();
        });
    }

    /** The maximum hold time of the client ends calls that hang, not a lease that lasts as long as its process. */
    @Test
    void theLongestTimeOfTheClientsLocksDoesNotApply() {
        DistributedLock lock = registry.obtain("42");
        lock.lock();
        ticker.advance(client.options().maxHoldTime().multipliedBy(2));
        registry.renewLock("42");
        lock.unlock();
    }

    @Test
    void workIsRunUnderTheLock() throws Exception {
        registry.executeLocked("42", () -> {
            assertThat(isFree()).isFalse();
            assertThat(onAnotherThread(() -> registry.obtain("42").tryLock(0, TimeUnit.SECONDS)))
                    .isFalse();
        });
        assertThat(isFree()).isTrue();
    }

    private static <T> T onAnotherThread(Callable<T> asked) throws Exception {
        FutureTask<T> answer = new FutureTask<>(asked);
        new Thread(answer, "another").start();
        return answer.get();
    }
}
