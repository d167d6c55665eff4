package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** Methods that return a future: the lock is theirs until the future has completed. */
class FutureBodyTests {

    private static final LockKey JOB = LockKey.of("job");

    static class Jobs {

        private final AtomicInteger calls = new AtomicInteger();

        public int calls() {
            return calls.get();
        }

        @DistributedLock(name = "job", waitTime = "1m", renew = false)
        public CompletableFuture<String> run(Supplier<CompletableFuture<String>> body) {
            calls.incrementAndGet();
            return body.get();
        }

        @DistributedLock(name = "job", renew = false, onLost = OnLost.INTERRUPT)
        public CompletionStage<String> cancelledOnLoss(Supplier<CompletionStage<String>> body) {
            return body.get();
        }

        @DistributedLock("job")
        public void blocking(Runnable body) {
            body.run();
        }
    }

    /** Inside the lock, and so on another thread than the call. */
    @Aspect
    static class Innermost {

        private final AtomicInteger passed = new AtomicInteger();

        @Around("execution(* io.distlock.spring.FutureBodyTests.Jobs.run(..)) && args(body)")
        public Object around(ProceedingJoinPoint join, Supplier<?> body) throws Throwable {
            passed.incrementAndGet();
            return join.proceed(new Object[] {body});
        }
    }

    private interface Work {

        void with(AssertableApplicationContext context, Jobs jobs) throws Exception;
    }

    private static void run(Work work) {
        LockTestContext.manual()
                .withBean(Jobs.class)
                .withBean(Innermost.class)
                .run(context -> work.with(context, context.getBean(Jobs.class)));
    }

    private static boolean isFree(AssertableApplicationContext context) {
        return context.getBean(LockClient.class).inspect(JOB).isEmpty();
    }

    private static HeldLock heldByAnother(AssertableApplicationContext context) {
        LockClient other = LockTestContext.another(context);
        return other.acquire(other.request(JOB));
    }

    private static String get(CompletionStage<String> future) throws Exception {
        return future.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void theLockIsHeldUntilTheFutureCompletesAndReleasedOnce() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.run(() -> work);
            await().until(() -> jobs.calls() == 1);
            assertThat(isFree(context)).isFalse();
            assertThat(result).isNotDone();
            work.complete("done");
            assertThat(get(result)).isEqualTo("done");
            assertThat(isFree(context)).isTrue();
            assertThat(context.getBean(FaultyLockProvider.class).releases()).isEqualTo(1);
        });
    }

    @Test
    void theBodyKnowsItsLock() {
        run((context, jobs) -> assertThat(get(jobs.run(() -> CompletableFuture.completedFuture(
                        LockContext.requireHeld("job").keys().toString()))))
                .isEqualTo("[job]"));
    }

    @Test
    void theCallerIsNotBlockedWhileAnotherHoldsTheLock() {
        run((context, jobs) -> {
            CompletableFuture<String> result;
            try (HeldLock other = heldByAnother(context)) {
                result = jobs.run(() -> CompletableFuture.completedFuture("done"));
                assertThat(result).isNotDone();
                assertThat(other.isHeld()).isTrue();
                assertThat(jobs.calls()).isZero();
            }
            assertThat(get(result)).isEqualTo("done");
        });
    }

    @Test
    void cancellingWhileItWaitsLeavesNothingBehind() {
        run((context, jobs) -> {
            try (HeldLock other = heldByAnother(context)) {
                CompletableFuture<String> result = jobs.run(() -> CompletableFuture.completedFuture("done"));
                assertThat(result.cancel(true)).isTrue();
                assertThat(other.isHeld()).isTrue();
            }
            assertThat(isFree(context)).isTrue();
            assertThat(get(jobs.run(() -> CompletableFuture.completedFuture("next"))))
                    .isEqualTo("next");
            assertThat(jobs.calls()).isEqualTo(1);
        });
    }

    @Test
    void givingUpByTimeoutLeavesNothingBehind() {
        run((context, jobs) -> {
            try (HeldLock other = heldByAnother(context)) {
                CompletableFuture<String> result = jobs.run(() -> CompletableFuture.completedFuture("done"))
                        .orTimeout(1, TimeUnit.MILLISECONDS);
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(() -> get(result))
                        .withCauseInstanceOf(TimeoutException.class);
                assertThat(other.isHeld()).isTrue();
            }
            await().until(() -> isFree(context));
            assertThat(jobs.calls()).isZero();
        });
    }

    @Test
    void cancellingTheResultCancelsTheBodysFutureAndGivesTheLockBack() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.run(() -> work);
            await().until(() -> jobs.calls() == 1);
            result.cancel(true);
            await().until(() -> isFree(context));
            assertThat(work).isCancelled();
        });
    }

    @Test
    void aBodyThatCannotBeCancelledKeepsTheLockUntilItIsDone() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.run(() -> {
                CompletableFuture<String> stubborn = work.copy();
                return new CompletableFuture<>() {
                    @Override
                    public boolean cancel(boolean mayInterrupt) {
                        return false;
                    }

                    {
                        stubborn.whenComplete((value, failure) -> complete(value));
                    }
                };
            });
            await().until(() -> jobs.calls() == 1);
            result.cancel(true);
            assertThat(isFree(context)).isFalse();
            work.complete("late");
            await().until(() -> isFree(context));
        });
    }

    @Test
    void aFailureOfTheBodyPassesUntouchedAndTheLockIsGivenBack() {
        run((context, jobs) -> {
            IOException ofTheBody = new IOException("disk");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> get(jobs.run(() -> CompletableFuture.failedFuture(ofTheBody))))
                    .satisfies(seen -> assertThat(seen.getCause()).isSameAs(ofTheBody));
            IllegalStateException thrown = new IllegalStateException("of the call");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> get(jobs.run(() -> {
                        throw thrown;
                    })))
                    .satisfies(seen -> assertThat(seen.getCause()).isSameAs(thrown));
            assertThat(isFree(context)).isTrue();
        });
    }

    @Test
    void aLossIsToldAtTheEndOfABodyThatIsLeftRunning() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.run(() -> work);
            await().until(() -> jobs.calls() == 1);
            context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1));
            assertThat(result).isNotDone();
            work.complete("done");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> get(result))
                    .withCauseInstanceOf(LockLostException.class);
        });
    }

    @Test
    void aLossIsSuppressedIntoAFailureOfTheBody() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.run(() -> work);
            await().until(() -> jobs.calls() == 1);
            context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1));
            work.completeExceptionally(new IOException("disk"));
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> get(result))
                    .satisfies(seen -> assertThat(seen.getCause())
                            .isInstanceOf(IOException.class)
                            .hasSuppressedException(seen.getCause().getSuppressed()[0]))
                    .satisfies(seen ->
                            assertThat(seen.getCause().getSuppressed()[0]).isInstanceOf(LockLostException.class));
        });
    }

    @Test
    void interruptCancelsTheBodysFutureAndTheCallerIsToldOfTheLoss() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<Void> called = new CompletableFuture<>();
            CompletionStage<String> result = jobs.cancelledOnLoss(() -> {
                called.complete(null);
                return work;
            });
            called.get(30, TimeUnit.SECONDS);
            context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1));
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> get(result))
                    .withCauseInstanceOf(LockLostException.class);
            assertThatExceptionOfType(CancellationException.class).isThrownBy(work::join);
        });
    }

    @Test
    void aFutureBodyInsideABlockingOneRunsUnderItsLockWhichIsHeldUntilBothAreDone() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            AtomicReference<CompletableFuture<String>> started = new AtomicReference<>();
            jobs.blocking(() -> started.set(jobs.run(() -> work)));
            CompletableFuture<String> result = started.get();
            assertThat(jobs.calls()).isEqualTo(1);
            assertThat(isFree(context)).isFalse();
            work.complete("done");
            assertThat(get(result)).isEqualTo("done");
            assertThat(isFree(context)).isTrue();
            FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
            assertThat(provider.acquires()).isEqualTo(1);
            assertThat(provider.releases()).isEqualTo(1);
        });
    }

    @Test
    void aspectsInsideTheLockRunThough() {
        run((context, jobs) -> {
            get(jobs.run(() -> CompletableFuture.completedFuture("done")));
            assertThat(context.getBean(Innermost.class).passed).hasValue(1);
        });
    }

    @Test
    void whoDoesNotGetTheLockIsToldByTheFuture() {
        run((context, jobs) -> {
            try (HeldLock other = heldByAnother(context)) {
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(() -> get(jobs.cancelledOnLoss(CompletableFuture::new)))
                        .withCauseInstanceOf(LockNotAcquiredException.class);
                assertThat(other.isHeld()).isTrue();
            }
        });
    }
}
