package io.distlock.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnNotAcquired;
import io.distlock.spring.ReactiveLockContext;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The first of two locks is had, the second is not: what takes the place of the body runs under neither. */
class RefusedLaterLockTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String NEITHER = "called false, first free true";

    @SuppressWarnings("unused") // fallbacks are called by their names
    static class Jobs {

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        public String blocking(Supplier<String> instead) {
            return "done";
        }

        private String instead(Supplier<String> instead) {
            return instead.get();
        }

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "laterInstead")
        public CompletableFuture<String> future(Supplier<String> instead) {
            return CompletableFuture.completedFuture("done");
        }

        private CompletableFuture<String> laterInstead(Supplier<String> instead) {
            return CompletableFuture.completedFuture(instead.get());
        }

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "monoInstead")
        public Mono<String> mono(Supplier<String> instead) {
            return Mono.just("done");
        }

        private Mono<String> monoInstead(Supplier<String> instead) {
            return subscribed(instead);
        }

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "fluxInstead")
        public Flux<String> flux(Supplier<String> instead) {
            return Flux.just("done");
        }

        private Flux<String> fluxInstead(Supplier<String> instead) {
            return subscribed(instead).flux();
        }

        private static Mono<String> subscribed(Supplier<String> instead) {
            return ReactiveLockContext.current()
                    .map(lock -> "in a subscription that holds a lock")
                    .onErrorResume(IllegalStateException.class, none -> Mono.fromSupplier(instead));
        }

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock("b")
        public String telling() {
            return "done";
        }

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        public void around(Runnable body) {
            body.run();
        }
    }

    private interface Work {

        void with(Jobs jobs, LockClient other, ManualTicker ticker) throws Exception;
    }

    private static void whileAnotherHoldsTheSecond(Work work) {
        LockTestContext.manual().withBean(Jobs.class).run(context -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock held = other.acquire(other.request("b"))) {
                work.with(context.getBean(Jobs.class), other, context.getBean(ManualTicker.class));
                assertThat(held.isHeld()).isTrue();
            }
        });
    }

    private static String seen(LockClient other) {
        return "called " + LockContext.find().isPresent() + ", first free "
                + other.inspect(LockKey.of("a")).isEmpty();
    }

    @Test
    void aFallbackRunsUnderNoneOfTheLocks() {
        whileAnotherHoldsTheSecond((jobs, other, ticker) ->
                assertThat(jobs.blocking(() -> seen(other))).isEqualTo(NEITHER));
    }

    @Test
    void aFallbackThatGivesAFutureRunsUnderNoneOfTheLocks() {
        whileAnotherHoldsTheSecond((jobs, other, ticker) -> assertThat(
                        jobs.future(() -> seen(other)).get(30, TimeUnit.SECONDS))
                .isEqualTo(NEITHER));
    }

    @Test
    void aFallbackThatGivesAPublisherRunsUnderNoneOfTheLocks() {
        whileAnotherHoldsTheSecond((jobs, other, ticker) -> {
            assertThat(jobs.mono(() -> seen(other)).block(PATIENCE)).isEqualTo(NEITHER);
            assertThat(jobs.flux(() -> seen(other)).blockLast(PATIENCE)).isEqualTo(NEITHER);
        });
    }

    @Test
    void whatBecomesOfTheFirstLockMeanwhileConcernsNoFallback() {
        whileAnotherHoldsTheSecond((jobs, other, ticker) -> {
            Supplier<String> slow = () -> {
                ticker.advance(Duration.ofSeconds(11));
                return "instead";
            };
            assertThat(jobs.blocking(slow)).isEqualTo("instead");
            assertThat(jobs.future(slow).get(30, TimeUnit.SECONDS)).isEqualTo("instead");
            assertThat(jobs.mono(slow).block(PATIENCE)).isEqualTo("instead");
            assertThat(jobs.flux(slow).blockLast(PATIENCE)).isEqualTo("instead");
        });
    }

    /** Of the lock of a call around it. */
    @Test
    void aLossOfTheFirstIsToldBeforeTheSecondIsAskedFor() {
        whileAnotherHoldsTheSecond((jobs, other, ticker) -> {
            List<Throwable> failures = new ArrayList<>();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> jobs.around(() -> {
                        ticker.advance(Duration.ofSeconds(11));
                        failures.add(catchThrowable(() -> jobs.blocking(() -> "instead")));
                        failures.add(catchThrowable(
                                        () -> jobs.future(() -> "instead").get(30, TimeUnit.SECONDS))
                                .getCause());
                        failures.add(
                                catchThrowable(() -> jobs.mono(() -> "instead").block(PATIENCE)));
                    }));
            assertThat(failures).hasSize(3).allMatch(LockLostException.class::isInstance);
        });
    }

    @Test
    void whoIsToldIsToldOfTheSecondLockAndTheFirstIsFree() {
        whileAnotherHoldsTheSecond((jobs, other, ticker) -> {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(jobs::telling)
                    .satisfies(refusal -> assertThat(refusal.key()).isEqualTo(LockKey.of("b")));
            assertThat(other.inspect(LockKey.of("a"))).isEmpty();
        });
    }
}
