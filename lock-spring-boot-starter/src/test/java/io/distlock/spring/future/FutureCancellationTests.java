package io.distlock.spring.future;

import static io.distlock.spring.future.FutureJobs.get;
import static io.distlock.spring.future.FutureJobs.heldByAnother;
import static io.distlock.spring.future.FutureJobs.isFree;
import static io.distlock.spring.future.FutureJobs.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.spring.template.LockTemplate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Futures of locked methods that are given up. */
class FutureCancellationTests {

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
                // The wait ends on another thread, which may come later than the news.
                await().until(() ->
                        context.getBean(LockClient.class).waiting().findAny().isEmpty());
                assertThat(other.isHeld()).isTrue();
            }
            await().until(() -> isFree(context));
            assertThat(jobs.calls()).isZero();
        });
    }

    /** Before there is a future to cancel. */
    @Test
    void cancellingWhileTheMethodIsAtWorkCancelsTheFutureThatItReturns() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<Void> called = new CompletableFuture<>();
            CompletableFuture<Void> mayReturn = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.run(() -> {
                called.complete(null);
                mayReturn.join();
                return work;
            });
            called.get(30, TimeUnit.SECONDS);
            result.cancel(true);
            assertThat(isFree(context)).isFalse();
            mayReturn.complete(null);
            await().until(() -> isFree(context));
            assertThat(work).isCancelled();
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
    void aBodyThatCannotBeCancelledKeepsEachOfItsLocksUntilItIsDone() {
        run((context, jobs) -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockClient client = context.getBean(LockClient.class);
            CompletableFuture<String> work = new CompletableFuture<>();
            AtomicBoolean begun = new AtomicBoolean();
            CompletableFuture<String> result = locks.lock("a")
                    .and(locks.lock("b"))
                    .future(() -> {
                        begun.set(true);
                        return work.minimalCompletionStage();
                    });
            await().untilTrue(begun);
            result.cancel(true);
            assertThat(client.held()).hasSize(2);
            work.complete("late");
            await().until(() -> client.held().findAny().isEmpty());
        });
    }
}
