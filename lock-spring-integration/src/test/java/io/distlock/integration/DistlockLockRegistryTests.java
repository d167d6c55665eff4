package io.distlock.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
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
    void anUnlockOfAnotherThreadDoesNotCount() throws Exception {
        DistributedLock lock = registry.obtain("42");
        lock.lock();
        lock.lock();
        assertThat(onAnotherThread(() -> {
                    assertThatExceptionOfType(IllegalMonitorStateException.class)
                            .isThrownBy(lock::unlock);
                    assertThatExceptionOfType(IllegalMonitorStateException.class)
                            .isThrownBy(registry.obtain("42")::unlock);
                    return true;
                }))
                .isTrue();
        lock.unlock();
        assertThat(isFree()).isFalse();
        lock.unlock();
        assertThat(isFree()).isTrue();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void whoWaitsGetsTheLockOrIsRefusedItInTime() throws Exception {
        DistributedLock other = elsewhere.obtain("42");
        assertThat(other.tryLock(1, TimeUnit.HOURS)).isTrue();
        FutureTask<Boolean> refused = waiting(lock -> lock.tryLock(3, TimeUnit.SECONDS));
        ticker.advance(Duration.ofMillis(2_999));
        assertThat(client.waiting()).hasSize(1);
        ticker.advance(Duration.ofMillis(1));
        assertThat(refused.get()).isFalse();
        FutureTask<Boolean> refusedWithATime = waiting(lock -> lock.tryLock(Duration.ofSeconds(3), MINUTE));
        ticker.advance(Duration.ofSeconds(3));
        assertThat(refusedWithATime.get()).isFalse();
        List<FutureTask<Boolean>> served = List.of(
                waiting(lock -> released(lock::lock, lock)), waiting(lock -> released(lock::lockInterruptibly, lock)));
        other.unlock();
        for (FutureTask<Boolean> each : served) {
            assertThat(each.get()).isTrue();
        }
        await().untilAsserted(() -> assertThat(isFree()).isTrue());
    }

    private interface Step<T> {

        T on(DistributedLock lock) throws InterruptedException;
    }

    private interface Locking {

        void lock() throws InterruptedException;
    }

    private static boolean released(Locking locking, DistributedLock lock) throws InterruptedException {
        locking.lock();
        lock.unlock();
        return true;
    }

    /** On a thread of its own, when it waits at the store or behind another that does. */
    private FutureTask<Boolean> waiting(Step<Boolean> step) {
        long before = client.waiting().count();
        FutureTask<Boolean> answer = new FutureTask<>(() -> step.on(registry.obtain("42")));
        new Thread(answer, "waiting").start();
        await().until(() -> client.waiting().count() > before);
        return answer;
    }

    @Test
    void aThreadThatWaitsCanBeInterrupted() throws Exception {
        elsewhere.obtain("42").lock();
        DistributedLock lock = registry.obtain("42");
        assertThat(onAnotherThread(() -> {
                    Thread.currentThread().interrupt();
                    assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
                    return true;
                }))
                .isTrue();
    }

    @Test
    void aLockHasNoConditionsAndTellsItsKey() {
        DistributedLock lock = registry.obtain("42");
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
        assertThat(lock).hasToString("Lock[orders:42]");
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
    void lockingForATimeIsNotRenewedEither() {
        registry.obtain("42").lock(MINUTE);
        ticker.advance(Duration.ofSeconds(50));
        registry.renewLock("42");
        ticker.advance(Duration.ofSeconds(50));
        assertThat(isFree()).isFalse();
        ticker.advance(Duration.ofSeconds(10));
        assertThat(isFree()).isTrue();
    }

    @Test
    void aThreadThatEntersAgainKeepsTheTimeToLiveThatItHas() throws InterruptedException {
        DistributedLock lock = registry.obtain("42");
        lock.lock(MINUTE);
        lock.lock();
        lock.lock(MINUTE.multipliedBy(5));
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(Duration.ZERO, MINUTE.multipliedBy(5))).isTrue();
        ticker.advance(Duration.ofSeconds(50));
        registry.renewLock("42");
        ticker.advance(Duration.ofSeconds(50));
        assertThat(isFree()).isFalse();
        ticker.advance(Duration.ofSeconds(10));
        assertThat(isFree()).isTrue();
    }

    @Test
    void aRenewalTakesTheTimeThatItNames() {
        registry.obtain("42").lock(MINUTE);
        registry.renewLock("42", MINUTE.multipliedBy(5));
        ticker.advance(MINUTE.multipliedBy(4));
        assertThat(isFree()).isFalse();
        // The time that the next one does not name is still that of the lock.
        ticker.advance(Duration.ofSeconds(50));
        registry.renewLock("42");
        ticker.advance(Duration.ofSeconds(59));
        registry.renewLock("42", Duration.ofSeconds(2));
        ticker.advance(Duration.ofSeconds(1));
        assertThat(isFree()).isFalse();
        ticker.advance(Duration.ofSeconds(1));
        assertThat(isFree()).isTrue();
    }

    @Test
    void aTimeToLiveEndsWithItsLock() {
        DistributedLock lock = registry.obtain("42");
        lock.lock(MINUTE);
        lock.unlock();
        lock.lock();
        ticker.advance(MINUTE.multipliedBy(10));
        registry.renewLock("42", MINUTE.multipliedBy(10));
        ticker.advance(MINUTE.multipliedBy(20));
        registry.renewLock("42");
        lock.unlock();
        assertThat(isFree()).isTrue();
    }

    @Test
    void aLockThatIsRenewedAnywayIsCheckedAndNotExtended() {
        registry.obtain("42").lock();
        ticker.advance(Duration.ofSeconds(5));
        Duration before = remaining();
        registry.renewLock("42", MINUTE.multipliedBy(10));
        assertThat(remaining()).isEqualTo(before);
        client.held().forEach(held -> client.forceRelease(held.key(), held.token()));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> registry.renewLock("42"));
    }

    /** It is held for the rest of its time. */
    @Test
    void aRenewalThatIsNotAnsweredFailsAndLosesNothing() {
        FaultyLockProvider silent = new FaultyLockProvider(store);
        var registry =
                new DistlockLockRegistry(LockClientBuilder.of(silent, runtime).build(), "orders");
        registry.obtain("42").lock(MINUTE);
        silent.onRenew(Fault.REPLY_LOST);
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> registry.renewLock("42"));
        silent.heal();
        registry.renewLock("42");
        registry.obtain("42").unlock();
        assertThat(isFree()).isTrue();
    }

    private Duration remaining() {
        return client.inspect(LockKey.of("orders", "42"))
                .orElseThrow()
                .holders()
                .get(0)
                .remaining()
                .orElseThrow();
    }

    @Test
    void expiryDoesNotTouchALockThatIsHeld() {
        DistributedLock lock = registry.obtain("42");
        ticker.advance(MINUTE);
        lock.lock();
        registry.expireUnusedOlderThan(0);
        assertThat(isFree()).isFalse();
        registry.renewLock("42");
        assertThat(registry.obtain("42").tryLock()).isTrue();
        lock.unlock();
        assertThat(isFree()).isFalse();
        lock.unlock();
        assertThat(isFree()).isTrue();
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
        awaitUnreachable(unused);
    }

    @Test
    void aTimeToLiveIsNotKeptLongerThanItsLock() {
        registry.obtain("42").lock(MINUTE);
        WeakReference<HeldLock> held = new WeakReference<>(
                client.asLock(client.request("orders", "42")).held().orElseThrow());
        registry.obtain("42").unlock();
        // The client remembers a few locks that are over, until others have come.
        for (int others = 0; others < 200; others++) {
            registry.obtain("43").lock(MINUTE);
            registry.obtain("43").unlock();
        }
        awaitUnreachable(held);
    }

    private static void awaitUnreachable(WeakReference<?> reference) {
        await().untilAsserted(() -> {
            System.gc();
            assertThat(reference.get()).isNull();
        });
    }

    @Test
    void norDoesItApplyToALockWithATimeToLive() {
        LockOptions briefly = LockOptions.defaults().withMaxHoldTime(Duration.ofSeconds(40));
        var registry = new DistlockLockRegistry(
                LockClientBuilder.of(store, runtime).options(briefly).build(), "orders");
        registry.obtain("42").lock(MINUTE);
        for (int renewals = 0; renewals < 5; renewals++) {
            ticker.advance(Duration.ofSeconds(50));
            registry.renewLock("42");
        }
        registry.obtain("42").unlock();
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
