package io.distlock.engine.view;

import static io.distlock.engine.ManualEngine.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient.LockView;
import io.distlock.LockLostException;
import io.distlock.LockUnavailableException;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** A lock as the JDK's {@link Lock}. */
@EndsInTime
@SuppressWarnings("LockNotBeforeTry") // when it is unlocked, and by whom, is what the tests are about
class DefaultLockViewTests {

    private final ManualEngine here = new ManualEngine();
    private final Lock lock = here.client.asLock(here.request("a"));

    @Test
    void aThreadEntersAgainAndTheLastUnlockReleases() throws InterruptedException {
        lock.lock();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        lock.lockInterruptibly();
        for (int entered = 5; entered > 1; entered--) {
            lock.unlock();
            assertThat(here.isFree("a")).isFalse();
        }
        lock.unlock();
        assertThat(here.provider.acquires()).isEqualTo(1);
        here.assertNothingLeft("a");
    }

    @Test
    void anotherThreadIsKeptOut() throws Exception {
        lock.lock();
        assertThat(elsewhere(lock::tryLock)).isFalse();
        lock.unlock();
        assertThat(elsewhere(lock::tryLock)).isTrue();
    }

    @Test
    void viewsOfOneKeyAndClientAreOneLockToAThread() throws Exception {
        lock.lock();
        LockView another = here.client.asLock(here.request("a").withLeaseTime(Duration.ofMinutes(1)));
        assertThat(another.tryLock()).isTrue();
        assertThat(another.holdCount()).isEqualTo(2);
        assertThat(elsewhere(another::tryLock)).isFalse();
        lock.unlock();
        assertThat(here.isFree("a")).isFalse();
        another.unlock();
        assertThat(here.provider.acquires()).isEqualTo(1);
        here.assertNothingLeft("a");
    }

    @Test
    void viewsOfOtherKeysModesOrClientsAreLocksOfTheirOwn() {
        lock.lock();
        assertThat(here.client.asLock(here.request("b")).holdCount()).isZero();
        assertThat(here.client.asReadWriteLock(here.request("a")).readLock().holdCount())
                .isZero();
        assertThat(here.other.asLock(here.request("a")).tryLock()).isFalse();
    }

    @Test
    void tryLockDoesNotWaitHoweverLongTheRequestWould() {
        here.other.acquire(here.now("a"));
        assertThat(lock.tryLock()).isFalse();
    }

    @Test
    void tryLockWithATimeWaitsThatLongHoweverLongTheRequestWould() throws Exception {
        here.other.acquire(here.now("a"));
        FutureTask<Boolean> waiting = started(() -> lock.tryLock(60, TimeUnit.SECONDS));
        await().until(() -> here.client.waiting().count() == 1);
        here.advanceMillis(59_999);
        assertThat(waiting).isNotDone();
        here.advanceMillis(1);
        // Its timer may be set only now, if its thread stood still.
        await().until(() -> {
            here.advanceMillis(0);
            return waiting.isDone();
        });
        assertThat(waiting.get()).isFalse();
    }

    @Test
    void tryLockWithANegativeTimeIsOneAttempt() throws InterruptedException {
        here.other.acquire(here.now("a"));
        assertThat(lock.tryLock(-1, TimeUnit.DAYS)).isFalse();
    }

    @Test
    void tryLockWithTimeWithoutEndIsAccepted() throws InterruptedException {
        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
    }

    @Test
    void lockWaitsBeyondTheWaitTimeOfTheRequest() throws Exception {
        HeldLock others = here.other.acquire(here.now("a"));
        FutureTask<Boolean> waiting = started(() -> {
            lock.lock();
            return true;
        });
        await().until(() -> here.client.waiting().count() == 1);
        here.advanceMillis(600_000);
        others.release();
        assertThat(waiting.get()).isTrue();
    }

    @Test
    void lockIsNotStoppedByAnInterruptAndKeepsIt() throws Exception {
        HeldLock others = here.other.acquire(here.now("a"));
        CompletableFuture<Thread> caller = new CompletableFuture<>();
        FutureTask<Boolean> waiting = started(() -> {
            caller.complete(Thread.currentThread());
            lock.lock();
            return Thread.currentThread().isInterrupted();
        });
        await().until(() -> here.client.waiting().count() == 1);
        caller.join().interrupt();
        await().until(() -> !caller.join().isInterrupted());
        assertThat(waiting.isDone()).isFalse();
        others.release();
        assertThat(waiting.get()).isTrue();
        assertThat(here.isFree("a")).isFalse();
    }

    @Test
    void lockInterruptiblyIsStoppedByAnInterruptAndLeavesNothing() throws Exception {
        HeldLock others = here.other.acquire(here.now("a"));
        CompletableFuture<Thread> caller = new CompletableFuture<>();
        FutureTask<Boolean> waiting = started(() -> {
            caller.complete(Thread.currentThread());
            try {
                lock.lockInterruptibly();
                return false;
            } catch (InterruptedException expected) {
                // Where this is thrown, the flag is not set.
                return !Thread.currentThread().isInterrupted();
            }
        });
        await().until(() -> here.client.waiting().count() == 1);
        caller.join().interrupt();
        assertThat(waiting.get()).isTrue();
        others.release();
        here.assertNothingLeft("a");
    }

    @Test
    void theInterruptibleOnesRefuseAThreadThatCameInterruptedAndClearTheFlag() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
        assertThat(Thread.interrupted()).isFalse();
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(here.provider.acquires()).isZero();
    }

    @Test
    void tryLockTakesNoNoticeOfAnInterruptAndKeepsIt() {
        Thread.currentThread().interrupt();
        assertThat(lock.tryLock()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aSilentStoreIsAnExceptionAndNotABusyLock() {
        here.provider.onAcquire(Fault.ERROR);
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(lock::lock);
    }

    @Test
    void unlockingWhatOneDoesNotHoldIsRefused() {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining("a")
                .withMessageContaining(Thread.currentThread().getName());
    }

    @Test
    void unlockingWhatAnotherThreadHoldsIsRefusedAndReleasesNothing() {
        lock.lock();
        FutureTask<Boolean> thief = started(() -> {
            lock.unlock();
            return true;
        });
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(thief::get)
                .withCauseInstanceOf(IllegalMonitorStateException.class);
        assertThat(here.isFree("a")).isFalse();
    }

    @Test
    void unlockingALostLockReportsTheLossAndTheThreadCanLockAgain() {
        lock.lock();
        here.ticker.stepWallClock(Duration.ofSeconds(30));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void aLostLockIsNotEnteredAgainBeforeItsThreadKnowsOfTheLoss() {
        lock.lock();
        here.ticker.stepWallClock(Duration.ofSeconds(30));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
        assertThat(lock.tryLock()).as("once it knows").isTrue();
        lock.unlock();
        here.assertNothingLeft("a");
    }

    @Test
    void conditionsAreRefusedWithAReason() {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(lock::newCondition)
                .withMessageContaining("condition");
    }

    private static <T> FutureTask<T> started(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "another");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static boolean elsewhere(Callable<Boolean> call) throws Exception {
        return started(call).get();
    }
}
