package io.distlock.spring.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnLost;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a synchronous body and its caller learn when the lock is lost, and that nothing after the body does. */
class LossTests {

    static class Jobs {

        @DistributedLock(name = "job", renew = false, leaseTime = "10s")
        public <T> T leftRunning(Callable<T> body) throws Exception {
            return body.call();
        }

        @DistributedLock(name = "job", renew = false, leaseTime = "10s", onLost = OnLost.INTERRUPT)
        public <T> T interrupted(Callable<T> body) throws Exception {
            return body.call();
        }
    }

    static class Others {

        @DistributedLock(name = "other", waitTime = "1m")
        public Void run() {
            return null;
        }
    }

    private interface Work {

        void with(Jobs jobs, ManualTicker ticker) throws Exception;
    }

    private static void run(Work work) {
        LockTestContext.manual()
                .withBean(Jobs.class)
                .run(context -> work.with(context.getBean(Jobs.class), context.getBean(ManualTicker.class)));
    }

    private static void lose(ManualTicker ticker) {
        ticker.advance(Duration.ofSeconds(11));
    }

    /** Ends by an interrupt alone. */
    private static Void waitForEver() throws InterruptedException {
        new CountDownLatch(1).await();
        return null;
    }

    private static Void loseAndAwaitTheInterrupt(ManualTicker ticker) {
        lose(ticker);
        while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
        return null;
    }

    @AfterEach
    void noInterruptIsLeftBehind() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void unlessToldOtherwiseTheBodyRunsToItsEndAndTheCallerIsTold() {
        run((jobs, ticker) -> {
            AtomicBoolean ended = new AtomicBoolean();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> jobs.leftRunning(() -> {
                        CountDownLatch told = new CountDownLatch(1);
                        LockContext.current().onLost(loss -> told.countDown());
                        lose(ticker);
                        told.await();
                        assertThat(Thread.currentThread().isInterrupted()).isFalse();
                        ended.set(true);
                        return null;
                    }))
                    .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.EXPIRED));
            assertThat(ended).isTrue();
        });
    }

    @Test
    void aBodyThatWaitsIsInterruptedAndTheCallerIsToldOfTheLoss() {
        run((jobs, ticker) -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> jobs.interrupted(() -> {
                    lose(ticker);
                    return waitForEver();
                }))
                .satisfies(lost -> assertThat(lost.getSuppressed()[0]).isInstanceOf(InterruptedException.class)));
    }

    private interface Waiting {

        void with(Jobs jobs, Callable<Void> wait, ManualTicker ticker) throws Exception;
    }

    private static void whileAnotherHoldsTheInnerLock(Waiting work) {
        LockTestContext.manual().withBean(Jobs.class).withBean(Others.class).run(context -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock held = other.acquire(other.request("other"))) {
                Others others = context.getBean(Others.class);
                work.with(context.getBean(Jobs.class), others::run, context.getBean(ManualTicker.class));
                assertThat(held.isHeld()).isTrue();
            }
        });
    }

    @Test
    void aBodyThatWaitsForAnotherLockIsInterruptedAndTheCallerIsToldOfTheLoss() {
        whileAnotherHoldsTheInnerLock((jobs, wait, ticker) -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> jobs.interrupted(() -> {
                    lose(ticker);
                    return wait.call();
                }))
                .satisfies(lost -> {
                    assertThat(lost.key()).isEqualTo(LockKey.of("job"));
                    assertThat(lost.getSuppressed()[0]).isInstanceOf(LockInterruptedException.class);
                }));
    }

    @Test
    void anInterruptOfAnothersEndsTheWaitForAnotherLockAndIsNoLoss() {
        whileAnotherHoldsTheInnerLock((jobs, wait, ticker) -> {
            assertThatExceptionOfType(LockInterruptedException.class)
                    .isThrownBy(() -> jobs.interrupted(() -> {
                        Thread.currentThread().interrupt();
                        return wait.call();
                    }));
            assertThat(Thread.interrupted()).isTrue();
        });
    }

    @Test
    void theFlagThatABodyLeavesSetIsCleared() {
        run((jobs, ticker) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> jobs.interrupted(() -> loseAndAwaitTheInterrupt(ticker)));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void aFailureOfTheBodyPassesWithTheLossSuppressedIntoIt() {
        run((jobs, ticker) -> {
            IllegalStateException wrapped = new IllegalStateException("of the body");
            Throwable seen = catchThrowable(() -> jobs.interrupted(() -> {
                loseAndAwaitTheInterrupt(ticker);
                throw wrapped;
            }));
            assertThat(seen).isSameAs(wrapped);
            assertThat(seen.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
        });
    }

    @Test
    void anInterruptOfAnothersThatCameFirstIsKept() {
        run((jobs, ticker) -> {
            AtomicReference<LockLoss> told = new AtomicReference<>();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> jobs.interrupted(() -> {
                        Thread.currentThread().interrupt();
                        LockContext.current().onLost(told::set);
                        lose(ticker);
                        while (told.get() == null) {
                            Thread.onSpinWait();
                        }
                        return null;
                    }));
            assertThat(Thread.interrupted()).isTrue();
        });
    }

    @Test
    void anInterruptOfAnothersWithoutALossIsTheBodysOwnMatter() {
        run((jobs, ticker) -> {
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> jobs.interrupted(() -> {
                        Thread.currentThread().interrupt();
                        return waitForEver();
                    }));
            jobs.interrupted(() -> {
                Thread.currentThread().interrupt();
                return null;
            });
            assertThat(Thread.interrupted()).isTrue();
        });
    }

    @Test
    void theBodyReadsItsTokenAndForHowLongItsLockIsGood() {
        run((jobs, ticker) -> jobs.leftRunning(() -> {
            HeldLock lock = LockContext.current();
            assertThat(lock.fencingToken().value()).isPositive();
            Duration before = lock.remaining();
            ticker.advance(Duration.ofSeconds(4));
            lock.ensureHeld();
            assertThat(lock.remaining()).isEqualTo(before.minusSeconds(4));
            return null;
        }));
    }

    @Test
    void ensureHeldStopsABodyThatHasLostItsLock() {
        run((jobs, ticker) -> {
            AtomicBoolean wentOn = new AtomicBoolean();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> jobs.leftRunning(() -> {
                        lose(ticker);
                        LockContext.current().ensureHeld();
                        wentOn.set(true);
                        return null;
                    }));
            assertThat(wentOn).isFalse();
        });
    }
}
