package io.distlock.spring.publisher;

import static io.distlock.spring.publisher.PublisherJobs.PATIENCE;
import static io.distlock.spring.publisher.PublisherJobs.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.spring.ReactiveLockContext;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Which subscriptions belong to one call, and which contend. */
class PublisherReentrancyTests {

    @Test
    void twoSubscriptionsOnOneThreadAreTwoContenders() {
        run((context, jobs) -> {
            Sinks.One<String> first = Sinks.one();
            Disposable running = jobs.mono(first::asMono).subscribe();
            await().until(() -> jobs.calls() == 1);
            StepVerifier.create(jobs.flux(() -> Flux.just("second")))
                    .expectError(LockNotAcquiredException.class)
                    .verify(PATIENCE);
            assertThat(jobs.calls()).isEqualTo(1);
            running.dispose();
        });
    }

    @Test
    void aSubscriptionInsideALockedBodyRunsUnderItsLock() {
        run((context, jobs) -> {
            Mono<String> inner =
                    jobs.mono(() -> ReactiveLockContext.requireHeld("job").map(lock -> "inner"));
            assertThat(jobs.flux(() -> Flux.just(1, 2)
                                    .publishOn(Schedulers.parallel())
                                    .concatMap(each -> inner))
                            .collectList()
                            .block(PATIENCE))
                    .containsExactly("inner", "inner");
            FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
            assertThat(provider.acquires()).isEqualTo(1);
            assertThat(provider.releases()).isEqualTo(1);
        });
    }

    @Test
    void aPublisherOfABlockingBodyRunsUnderItsLock() {
        run((context, jobs) -> jobs.blocking(() ->
                assertThat(jobs.mono(() -> Mono.just("done")).block(PATIENCE)).isEqualTo("done")));
    }

    @Test
    void aPublisherThatOutlivesTheBlockingBodyItCameFromTakesTheLockItselfEachTime() {
        run((context, jobs) -> {
            AtomicReference<Mono<String>> late = new AtomicReference<>();
            jobs.blocking(() -> late.set(jobs.mono(() -> Mono.just("done"))));
            assertThat(late.get().block(PATIENCE)).isEqualTo("done");
            assertThat(late.get().block(PATIENCE)).isEqualTo("done");
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(3);
        });
    }

    @Test
    void requireHeldRefusesToGoOnWithALockThatWasLost() {
        run((context, jobs) -> {
            AtomicReference<Throwable> inside = new AtomicReference<>();
            Mono<String> work = Mono.defer(() -> {
                context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1));
                // Not only at the end of the publisher, which reports the same loss.
                return ReactiveLockContext.requireHeld("job")
                        .doOnError(inside::set)
                        .map(HeldLock::toString);
            });
            StepVerifier.create(jobs.mono(() -> work))
                    .expectError(LockLostException.class)
                    .verify(PATIENCE);
            assertThat(inside.get()).isInstanceOf(LockLostException.class);
        });
    }

    @Test
    void outsideThereIsNoLockInTheContext() {
        StepVerifier.create(ReactiveLockContext.current())
                .expectErrorMessage("no lock is held here: a lock is visible only inside the publisher of a"
                        + " @DistributedLock method that was called through its Spring bean. Make your publisher a"
                        + " part of that one")
                .verify(PATIENCE);
    }

    @Test
    void blockingForAnotherLocksPublisherInsideABodyIsAContenderWhereNoContextIsHandedOn() {
        run((context, jobs) -> assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> jobs.mono(() -> Mono.fromCallable(() ->
                                        jobs.flux(() -> Flux.just("never")).blockLast(PATIENCE))
                                .subscribeOn(Schedulers.boundedElastic()))
                        .block(PATIENCE)));
    }
}
