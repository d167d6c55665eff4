package io.distlock.spring.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockTestContext;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** The invariant: whatever the strategy, the return type and the trouble, the body never runs without the lock. */
class NoLockNoBodyTests {

    private static final LockKey JOB = LockKey.of("job");

    enum Trouble {
        NONE,
        HELD_BY_ANOTHER,
        STORE_FAILS,
        STORE_IS_SILENT,
        REPLY_LOST,
        REPLY_COMES_TOO_LATE,
        CLIENT_CLOSED;

        /** Whether the caller can be told for sure that another has the lock. */
        boolean isBusy() {
            return this == HELD_BY_ANOTHER;
        }
    }

    enum Strategy {
        THROW,
        SKIP,
        FALLBACK,
        FALLBACK_ALSO_IF_UNAVAILABLE
    }

    /** One locked method: how it is called, and what it gives if it is skipped. */
    record Shape(String name, Strategy strategy, Call call, Object skipped) {

        interface Call {

            Object on(WitnessingJobs jobs) throws Exception;
        }

        @Override
        public String toString() {
            return name + " " + strategy;
        }
    }

    static List<Shape> shapes() {
        return List.of(
                new Shape("void", Strategy.THROW, jobs -> nothing(jobs::throwing), null),
                new Shape("void", Strategy.SKIP, jobs -> nothing(jobs::skipping), null),
                new Shape("void", Strategy.FALLBACK, jobs -> nothing(jobs::fallingBack), null),
                new Shape("int", Strategy.THROW, WitnessingJobs::throwingInt, null),
                new Shape("int", Strategy.FALLBACK, WitnessingJobs::fallingBackInt, null),
                new Shape("String", Strategy.THROW, WitnessingJobs::throwingText, null),
                new Shape("String", Strategy.SKIP, WitnessingJobs::skippingText, null),
                new Shape("String", Strategy.FALLBACK, WitnessingJobs::fallingBackText, null),
                new Shape("String", Strategy.FALLBACK_ALSO_IF_UNAVAILABLE, WitnessingJobs::alwaysFallingBackText, null),
                new Shape(
                        "future", Strategy.THROW, jobs -> jobs.throwingFuture().get(), null),
                new Shape("future", Strategy.SKIP, jobs -> jobs.skippingFuture().get(), Optional.empty()),
                new Shape(
                        "future",
                        Strategy.FALLBACK,
                        jobs -> jobs.fallingBackFuture().get(),
                        null),
                new Shape("Mono", Strategy.THROW, jobs -> jobs.throwingMono().block(), null),
                new Shape("Mono", Strategy.SKIP, jobs -> jobs.skippingMono().block(), null),
                new Shape(
                        "Mono",
                        Strategy.FALLBACK,
                        jobs -> jobs.fallingBackMono().block(),
                        null),
                new Shape(
                        "Flux",
                        Strategy.THROW,
                        jobs -> jobs.throwingFlux().collectList().block(),
                        null),
                new Shape(
                        "Flux",
                        Strategy.SKIP,
                        jobs -> jobs.skippingFlux().collectList().block(),
                        List.of()),
                new Shape(
                        "Flux",
                        Strategy.FALLBACK,
                        jobs -> jobs.fallingBackFlux().collectList().block(),
                        null),
                new Shape(
                        "Single", Strategy.THROW, jobs -> jobs.throwingSingle().blockingGet(), null),
                new Shape("Maybe", Strategy.SKIP, jobs -> jobs.skippingMaybe().blockingGet(), null),
                new Shape("Optional", Strategy.SKIP, WitnessingJobs::skippingOptional, Optional.empty()),
                new Shape("Optional", Strategy.FALLBACK, WitnessingJobs::fallingBackOptional, null));
    }

    private static Object nothing(Runnable call) {
        call.run();
        return null;
    }

    static Stream<Arguments> cases() {
        return shapes().stream()
                .flatMap(shape -> Stream.of(Trouble.values()).map(trouble -> Arguments.of(shape, trouble)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void withoutTheLockTheBodyDoesNotRun(Shape shape, Trouble trouble) {
        LockTestContext.manual().withBean(WitnessingJobs.class).run(context -> {
            WitnessingJobs jobs = context.getBean(WitnessingJobs.class);
            makeTrouble(context, trouble);
            Outcome outcome = outcome(context, () -> shape.call().on(jobs));
            assertThat(jobs.counts()[0]).as("runs").isEqualTo(trouble == Trouble.NONE ? 1 : 0);
            assertThat(jobs.counts()[1]).as("runs without the lock").isZero();
            assertAnswer(shape, trouble, outcome, jobs.counts()[2]);
        });
    }

    private static void makeTrouble(AssertableApplicationContext context, Trouble trouble) {
        FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
        switch (trouble) {
            case NONE -> {}
            case HELD_BY_ANOTHER -> {
                LockClient other = LockTestContext.another(context);
                assertThat(other.acquire(other.request(JOB)).isHeld()).isTrue();
            }
            case STORE_FAILS -> provider.onAcquire(Fault.ERROR);
            case STORE_IS_SILENT -> provider.onAcquire(Fault.SILENCE);
            case REPLY_LOST -> provider.onAcquire(Fault.REPLY_LOST);
            case REPLY_COMES_TOO_LATE -> provider.onAcquire(Fault.LATE);
            case CLIENT_CLOSED -> context.getBean(LockClients.class).close();
        }
    }

    record Outcome(Object value, Throwable failure) {}

    /** Of a call on a thread of its own, for which time goes on as long as it waits. */
    private static Outcome outcome(AssertableApplicationContext context, Callable<Object> call) throws Exception {
        ManualTicker ticker = context.getBean(ManualTicker.class);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<Object> running = thread.submit(call);
            await().until(() -> {
                ticker.advance(running.isDone() ? Duration.ZERO : Duration.ofSeconds(1));
                return running.isDone();
            });
            context.getBean(FaultyLockProvider.class).deliver();
            return new Outcome(running.get(), null);
        } catch (ExecutionException failed) {
            Throwable failure = failed.getCause();
            return new Outcome(null, failure instanceof ExecutionException ofAFuture ? ofAFuture.getCause() : failure);
        } finally {
            thread.shutdownNow();
        }
    }

    private static void assertAnswer(Shape shape, Trouble trouble, Outcome outcome, int fallbacks) {
        boolean fallsBack = shape.strategy == Strategy.FALLBACK_ALSO_IF_UNAVAILABLE
                || (shape.strategy == Strategy.FALLBACK && trouble.isBusy());
        assertThat(fallbacks).isEqualTo(fallsBack && trouble != Trouble.NONE ? 1 : 0);
        if (trouble == Trouble.NONE || fallsBack) {
            assertThat(outcome.failure).isNull();
        } else if (trouble.isBusy() && shape.strategy == Strategy.SKIP) {
            assertThat(outcome).isEqualTo(new Outcome(shape.skipped, null));
        } else {
            assertThat(outcome.failure)
                    .isInstanceOf(trouble.isBusy() ? LockNotAcquiredException.class : LockUnavailableException.class);
        }
    }
}
