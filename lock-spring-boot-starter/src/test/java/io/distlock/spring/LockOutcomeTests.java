package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** How a call can end: what the caller sees, whether the body ran, and what is left of the lock. */
class LockOutcomeTests {

    private static final LockKey JOB = LockKey.of("job");

    static class Jobs {

        private final List<String> ran = new ArrayList<>();

        /** A field of the proxy would be null. */
        public List<String> ran() {
            return ran;
        }

        @DistributedLock("job")
        public String run(Callable<String> body) throws Exception {
            ran.add("run");
            return body.call();
        }

        @DistributedLock(name = "job", waitTime = "1m")
        public String patient() {
            return "done";
        }

        @DistributedLock(name = "job", renew = false, leaseTime = "10s")
        public String unrenewed(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
        public String skipped(Supplier<String> body) {
            ran.add("skipped");
            return body.get();
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
        public void skippedVoid() {
            ran.add("skippedVoid");
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
        public Optional<String> skippedOptional() {
            ran.add("skippedOptional");
            return Optional.of("done");
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
        public OptionalInt skippedNumber() {
            ran.add("skippedNumber");
            return OptionalInt.of(1);
        }

        @DistributedLock(name = "job", minHoldTime = "30s", leaseTime = "1s")
        public void atMostEveryHalfMinute() {}
    }

    /** A test's own work, which may throw anything. */
    private interface Work {

        void with(Jobs jobs, AssertableApplicationContext context) throws Exception;
    }

    private static void inManualTime(Work work) {
        LockTestContext.manual().withBean(Jobs.class).run(context -> work.with(context.getBean(Jobs.class), context));
    }

    private static HeldLock heldByAnother(AssertableApplicationContext context) {
        LockClient other = LockTestContext.another(context);
        return other.acquire(other.request(JOB));
    }

    private static boolean isFree(AssertableApplicationContext context) {
        return context.getBean(LockClient.class).inspect(JOB).isEmpty();
    }

    @Test
    void throwsAndDoesNotRunIfAnotherHoldsTheLock() {
        inManualTime((jobs, context) -> {
            try (HeldLock other = heldByAnother(context)) {
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> jobs.run(() -> "done"))
                        .satisfies(refusal -> assertThat(refusal.key()).isEqualTo(JOB));
                assertThat(jobs.ran()).isEmpty();
                assertThat(other.isHeld()).isTrue();
            }
        });
    }

    @Test
    void skipReturnsAnEmptyValueAndDoesNotRunIfAnotherHoldsTheLock() {
        inManualTime((jobs, context) -> {
            try (HeldLock other = heldByAnother(context)) {
                assertThat(jobs.skipped(() -> "done")).isNull();
                jobs.skippedVoid();
                assertThat(jobs.skippedOptional()).isEmpty();
                assertThat(jobs.skippedNumber()).isEmpty();
                assertThat(jobs.ran()).isEmpty();
                assertThat(other.isHeld()).isTrue();
            }
            assertThat(jobs.skipped(() -> "done")).isEqualTo("done");
            assertThat(jobs.skippedOptional()).contains("done");
        });
    }

    @Test
    void skipDoesNotHideThatTheStoreIsSilent() {
        inManualTime((jobs, context) -> {
            context.getBean(FaultyLockProvider.class).onAcquire(Fault.ERROR);
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> jobs.skipped(() -> "done"));
            assertThat(jobs.ran()).isEmpty();
        });
    }

    @Test
    void skipDoesNotHideThatTheBodyItselfFailedToGetALock() {
        inManualTime((jobs, context) -> {
            LockNotAcquiredException ofTheBody = new LockNotAcquiredException(LockKey.of("other"), Duration.ZERO);
            assertThatThrownBy(() -> jobs.skipped(() -> {
                        throw ofTheBody;
                    }))
                    .isSameAs(ofTheBody);
        });
    }

    @Test
    void whatTheBodyThrowsPassesUntouchedAndTheLockIsGivenBack() {
        for (Exception thrown : List.of(new IOException("disk"), new IllegalStateException(), new Exception())) {
            inManualTime((jobs, context) -> {
                assertThatThrownBy(() -> jobs.run(() -> {
                            throw thrown;
                        }))
                        .isSameAs(thrown)
                        .hasNoSuppressedExceptions();
                assertThat(isFree(context)).isTrue();
                assertThat(LockContext.find()).isEmpty();
            });
        }
    }

    @Test
    void anErrorOfTheBodyPassesUntouchedAndTheLockIsGivenBack() {
        inManualTime((jobs, context) -> {
            AssertionError thrown = new AssertionError("broken");
            assertThatThrownBy(() -> jobs.run(() -> {
                        throw thrown;
                    }))
                    .isSameAs(thrown);
            assertThat(isFree(context)).isTrue();
        });
    }

    @Test
    void aLockLostUnderABodyThatSucceededIsReported() {
        inManualTime((jobs, context) -> {
            ManualTicker ticker = context.getBean(ManualTicker.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> jobs.unrenewed(() -> {
                        ticker.advance(Duration.ofSeconds(11));
                        return "done";
                    }))
                    .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.EXPIRED));
            assertThat(LockContext.find()).isEmpty();
        });
    }

    @Test
    void aLockLostUnderABodyThatFailedIsSuppressedIntoItsException() {
        inManualTime((jobs, context) -> {
            ManualTicker ticker = context.getBean(ManualTicker.class);
            IllegalStateException ofTheBody = new IllegalStateException("also");
            Throwable seen = catchThrowable(() -> jobs.unrenewed(() -> {
                ticker.advance(Duration.ofSeconds(11));
                throw ofTheBody;
            }));
            assertThat(seen).isSameAs(ofTheBody);
            assertThat(seen.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
        });
    }

    @Test
    void theLockIsRenewedForAsLongAsTheBodyRuns() {
        inManualTime((jobs, context) -> {
            ManualTicker ticker = context.getBean(ManualTicker.class);
            assertThat(jobs.run(() -> {
                        ticker.advance(Duration.ofMinutes(10));
                        return String.valueOf(LockContext.current().isHeld());
                    }))
                    .isEqualTo("true");
        });
    }

    @Test
    void aSilentStoreAtTheReleaseDoesNotFailABodyThatHeldItsLock() {
        inManualTime((jobs, context) -> {
            context.getBean(FaultyLockProvider.class).onRelease(Fault.ERROR);
            assertThat(jobs.run(() -> "done")).isEqualTo("done");
        });
    }

    @Test
    void aMinimumHoldTimeKeepsTheLockAfterTheBody() {
        inManualTime((jobs, context) -> {
            jobs.atMostEveryHalfMinute();
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(jobs::atMostEveryHalfMinute);
            context.getBean(ManualTicker.class).advance(Duration.ofSeconds(31));
            jobs.atMostEveryHalfMinute();
        });
    }

    @Test
    void waitsForTheLockUntilItIsGivenBack() {
        LockTestContext.inMemory().withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch leave = new CountDownLatch(1);
            ExecutorService threads = Executors.newFixedThreadPool(2);
            try {
                Future<String> first = threads.submit(() -> jobs.run(() -> {
                    inside.countDown();
                    leave.await();
                    return "first";
                }));
                inside.await();
                Future<String> second = threads.submit(jobs::patient);
                assertThat(second).isNotDone();
                leave.countDown();
                assertThat(first.get()).isEqualTo("first");
                assertThat(second.get()).isEqualTo("done");
            } finally {
                threads.shutdownNow();
            }
        });
    }

    @Test
    void anInterruptEndsTheWaitKeepsTheFlagAndRunsNothing() {
        LockTestContext.inMemory().withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            try (HeldLock other = heldByAnother(context)) {
                Thread.currentThread().interrupt();
                assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(jobs::patient);
                assertThat(Thread.interrupted()).isTrue();
                assertThat(other.isHeld()).isTrue();
            }
            assertThat(jobs.ran()).isEmpty();
        });
    }
}
