package io.distlock.spring.future;

import static io.distlock.spring.future.FutureJobs.get;
import static io.distlock.spring.future.FutureJobs.heldByAnother;
import static io.distlock.spring.future.FutureJobs.isFree;
import static io.distlock.spring.future.FutureJobs.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockNotAcquiredException;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.test.provider.FaultyLockProvider;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;

/** Methods that return a future: the lock is theirs until the future has completed. */
class FutureBodyTests {

    /** Inside the lock, and so on another thread than the call. */
    @Aspect
    static class Innermost {

        private final AtomicInteger passed = new AtomicInteger();

        @Around("execution(* io.distlock.spring.future.FutureJobs.run(java.util.function.Supplier)) && args(body)")
        public Object around(ProceedingJoinPoint join, Supplier<?> body) throws Throwable {
            passed.incrementAndGet();
            return join.proceed(new Object[] {body});
        }
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
    void aFutureBodyInsideABlockingOneRunsUnderItsLockWhichIsHeldUntilBothAreDone() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            AtomicReference<CompletableFuture<String>> started = new AtomicReference<>();
            jobs.blocking(() -> started.set(jobs.run(() -> work)));
            CompletableFuture<String> result = started.get();
            await().until(() -> jobs.calls() == 1);
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
        run(LockTestContext.manual().withBean(Innermost.class), (context, jobs) -> {
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
