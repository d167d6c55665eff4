package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient.LockView;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** What a view tells of its holder, how long a lease that a call names lasts, and the pair for readers and writers. */
@EndsInTime
@SuppressWarnings("LockNotBeforeTry") // what holds between lock and unlock is what the tests are about
class LockViewHolderTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualEngine here = new ManualEngine();
    private final LockView lock = here.client.asLock(here.request("a"));

    @Test
    void theHolderAndItsCountAreVisibleToItsThreadAlone() throws Exception {
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        lock.lock();
        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.holdCount()).isEqualTo(2);
        assertThat(lock.held()).hasValueSatisfying(HeldLock::ensureHeld);
        assertThat(elsewhere(lock::isHeldByCurrentThread)).isFalse();
        assertThat(elsewhere(lock::holdCount)).isZero();
        lock.unlock();
        assertThat(lock.holdCount()).isEqualTo(1);
        lock.unlock();
        assertThat(lock.held()).isEmpty();
    }

    @Test
    void aLostLockIsNotHeldButHasToBeUnlocked() {
        lock.lock();
        loseIt();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThat(lock.holdCount()).isZero();
    }

    /** As code for Redisson's locks does, often on a pooled thread. */
    @Test
    void aThreadThatUnlocksOnlyWhatItHoldsCanLockAgainAfterALoss() {
        lock.lock();
        loseIt();
        if (lock.isHeldByCurrentThread()) {
            lock.unlock();
        }
        lock.lock();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        here.assertNothingLeft("a");
    }

    @Test
    void aLossIsStillReportedByUnlockAfterAnAttemptThatFailed() {
        lock.lock();
        loseIt();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        here.other.acquire(here.now("a"));
        assertThat(lock.tryLock()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void aThreadDoesNotCollectTheLocksThatItLostAndDidNotUnlockAndKeepsThoseThatItHolds() {
        lock.lock();
        for (int item = 0; item <= DefaultLockView.MOST_LOST + 1; item++) {
            LockView each = here.client.asLock(here.client.request("item", "" + item));
            each.lock();
            here.client.forceRelease(
                    LockKey.of("item", "" + item), each.held().orElseThrow().fencingToken());
            assertThat(each.isHeldByCurrentThread()).isFalse();
        }
        assertThat(here.client.asLock(here.client.request("item", "0")).holdCount())
                .isZero();
        assertThat(here.client
                        .asLock(here.client.request("item", "" + (DefaultLockView.MOST_LOST + 1)))
                        .holdCount())
                .isEqualTo(1);
        lock.unlock();
        assertThat(here.isFree("a")).isTrue();
    }

    private void loseIt() {
        here.client.forceRelease(
                here.request("a").keys().get(0), lock.held().orElseThrow().fencingToken());
    }

    @Test
    void aLeaseThatACallNamesIsNotRenewed() throws InterruptedException {
        lock.lock(MINUTE);
        here.advanceMillis(59_397);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        here.advanceMillis(1);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(here.provider.renewals()).isZero();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);

        assertThat(lock.tryLock(Duration.ZERO, Duration.ofMillis(200))).isTrue();
        assertThat(lock.held().orElseThrow().remaining()).isEqualTo(Duration.ofMillis(196));
        lock.unlock();
    }

    @Test
    void aLeaseThatACallNamesCanBeExtended() {
        lock.lock(MINUTE);
        here.advanceMillis(30_000);
        assertThat(lock.held().orElseThrow().extend(MINUTE)).isEqualTo(Duration.ofMillis(59_398));
        lock.unlock();
        here.assertNothingLeft("a");
    }

    @Test
    void aThreadThatEntersAgainKeepsItsLease() {
        lock.lock();
        lock.lock(Duration.ofMillis(200));
        here.advanceMillis(120_000);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void tryLockWithALeaseDoesNotWaitLongerThanItsTime() throws InterruptedException {
        here.other.acquire(here.now("a"));
        assertThat(lock.tryLock(Duration.ofSeconds(-1), MINUTE)).isFalse();
    }

    @Test
    void readersShareAPairAndAWriterHasItAlone() throws Exception {
        LockView.Pair pair = here.client.asReadWriteLock(here.request("a"));
        pair.readLock().lock();
        assertThat(pair.readLock().held())
                .hasValueSatisfying(held -> assertThat(held.mode()).isEqualTo(LockMode.SHARED));
        assertThat(elsewhere(() -> locksAndUnlocks(pair.readLock()))).isTrue();
        assertThat(elsewhere(() -> locksAndUnlocks(pair.writeLock()))).isFalse();
        pair.readLock().unlock();
        pair.writeLock().lock();
        assertThat(elsewhere(() -> locksAndUnlocks(pair.readLock()))).isFalse();
        pair.writeLock().unlock();
        here.assertNothingLeft("a");
    }

    private static boolean locksAndUnlocks(LockView view) {
        boolean locked = view.tryLock();
        if (locked) {
            view.unlock();
        }
        return locked;
    }

    private static <T> T elsewhere(Callable<T> asked) throws Exception {
        FutureTask<T> answer = new FutureTask<>(asked);
        new Thread(answer, "elsewhere").start();
        return answer.get();
    }
}
