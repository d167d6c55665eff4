package io.distlock.spring.future;

import static io.distlock.spring.future.FutureJobs.get;
import static io.distlock.spring.future.FutureJobs.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.LockLostException;
import io.distlock.spring.BlockedCancellation;
import io.distlock.spring.template.LockSpec;
import io.distlock.spring.template.LockTemplate;
import io.distlock.test.time.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What becomes of a method that returns a future when its lock is lost. */
class FutureLossTests {

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

    /** Its body has run without the lock that it had found. */
    @Test
    void aCallInsideThatFindsTheLockAndLosesItIsToldToo() {
        run((context, jobs) -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockSpec spec = locks.lock("orders", "42")
                    .options(options -> options.withRenew(false).withLeaseTime(Duration.ofSeconds(10)));
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> spec.run(() -> {
                        CompletableFuture<String> inner = spec.future(() -> {
                            context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
                            return CompletableFuture.completedFuture("done");
                        });
                        assertThatExceptionOfType(ExecutionException.class)
                                .isThrownBy(() -> get(inner))
                                .withCauseInstanceOf(LockLostException.class);
                    }));
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

    /** Whoever depends on the body's future is the application's code, and may block. */
    @Test
    void aCancellationThatBlocksDoesNotHoldUpTheNewsOfAnotherLoss() {
        run((context, jobs) -> {
            BlockedCancellation cancellation = new BlockedCancellation(context.getBean(LockClient.class));
            CompletableFuture<String> work = new CompletableFuture<>();
            work.whenComplete((value, failure) -> cancellation.block());
            jobs.cancelledOnLoss(() -> work);
            // That of this test, and that of the call, which is the last thing it does.
            await().until(() -> work.getNumberOfDependents() == 2);
            cancellation.holdsUpNoOtherLoss();
        });
    }
}
