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
import io.reactivex.rxjava3.core.Flowable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Methods that return a publisher: each subscription has the lock from its start to its end, however it ends. */
class PublisherBodyTests {

    private static final LockKey JOB = LockKey.of("job");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    static class Jobs {

        private final AtomicInteger calls = new AtomicInteger();

        public int calls() {
            return calls.get();
        }

        @DistributedLock(name = "job", waitTime = "1m", renew = false)
        public <T> Mono<T> mono(Supplier<Mono<T>> body) {
            calls.incrementAndGet();
            return body.get();
        }

        @DistributedLock(name = "job", renew = false)
        public <T> Flux<T> flux(Supplier<Flux<T>> body) {
            calls.incrementAndGet();
            return body.get();
        }

        @DistributedLock(name = "job", renew = false, onLost = OnLost.INTERRUPT)
        public <T> Flux<T> cancelledOnLoss(Supplier<Flux<T>> body) {
            calls.incrementAndGet();
            return body.get();
        }

        @DistributedLock("job")
        public Publisher<String> publisher() {
            return Mono.just(held());
        }

        @DistributedLock("job")
        public Flow.Publisher<String> flow() {
            return JdkFlowAdapter.publisherToFlowPublisher(Flux.just(held()));
        }

        @DistributedLock("job")
        public Flowable<String> flowable() {
            return Flowable.just(held());
        }

        @DistributedLock("job")
        public void blocking(Runnable body) {
            body.run();
        }

        private static String held() {
            return LockContext.requireHeld("job").keys().toString();
        }
    }

    private interface Work {

        void with(AssertableApplicationContext context, Jobs jobs) throws Exception;
    }

    private static void run(Work work) {
        LockTestContext.manual().withBean(Jobs.class).run(context -> work.with(context, context.getBean(Jobs.class)));
    }

    private static boolean isFree(AssertableApplicationContext context) {
        return context.getBean(LockClient.class).inspect(JOB).isEmpty();
    }

    private static HeldLock heldByAnother(AssertableApplicationContext context) {
        LockClient other = LockTestContext.another(context);
        return other.acquire(other.request(JOB));
    }

    private static int releases(AssertableApplicationContext context) {
        return context.getBean(FaultyLockProvider.class).releases();
    }

    @Test
    void nothingIsLockedAndNothingRunsBeforeTheSubscription() {
        run((context, jobs) -> {
            jobs.mono(() -> Mono.just("done"));
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isZero();
            assertThat(jobs.calls()).isZero();
        });
    }

    @Test
    void eachSubscriptionCallsTheBodyUnderALockOfItsOwnThatIsFreeWhenTheValueComes() {
        run((context, jobs) -> {
            Mono<String> mono = jobs.mono(() -> Mono.fromSupplier(() -> "free " + isFree(context)));
            for (int round = 1; round <= 2; round++) {
                assertThat(mono.map(value -> value + " then " + isFree(context)).block(PATIENCE))
                        .isEqualTo("free false then true");
                assertThat(releases(context)).isEqualTo(round);
                assertThat(jobs.calls()).isEqualTo(round);
            }
        });
    }

    @Test
    void theLockIsHeldUntilTheLastElement() {
        run((context, jobs) -> {
            Sinks.Many<String> source = Sinks.many().unicast().onBackpressureBuffer();
            StepVerifier.create(jobs.flux(source::asFlux))
                    .then(() -> source.tryEmitNext("a"))
                    .expectNext("a")
                    .then(() -> assertThat(isFree(context)).isFalse())
                    .then(source::tryEmitComplete)
                    .expectComplete()
                    .verify(PATIENCE);
            assertThat(isFree(context)).isTrue();
            assertThat(releases(context)).isEqualTo(1);
        });
    }

    @Test
    void anErrorPassesUntouchedAndTheLockIsGivenBack() {
        run((context, jobs) -> {
            IOException ofTheBody = new IOException("disk");
            StepVerifier.create(jobs.flux(() -> Flux.error(ofTheBody)))
                    .expectErrorSatisfies(seen -> assertThat(seen).isSameAs(ofTheBody))
                    .verify(PATIENCE);
            StepVerifier.create(jobs.mono(() -> {
                        throw new IllegalStateException("of the call");
                    }))
                    .expectErrorMessage("of the call")
                    .verify(PATIENCE);
            assertThat(isFree(context)).isTrue();
            assertThat(releases(context)).isEqualTo(2);
        });
    }

    @Test
    void cancellationGivesTheLockBackOnce() {
        run((context, jobs) -> {
            AtomicInteger cancelled = new AtomicInteger();
            Disposable running = jobs.flux(() -> Flux.never().doOnCancel(cancelled::incrementAndGet))
                    .subscribe();
            await().until(() -> jobs.calls() == 1);
            running.dispose();
            await().until(() -> isFree(context));
            assertThat(cancelled).hasValue(1);
            assertThat(releases(context)).isEqualTo(1);
            assertThat(jobs.flux(() -> Flux.range(0, 100)).take(1).blockLast(PATIENCE))
                    .isZero();
            await().until(() -> isFree(context));
            assertThat(releases(context)).isEqualTo(2);
        });
    }

    @Test
    void cancellationWhileItWaitsLeavesNothingBehind() {
        run((context, jobs) -> {
            try (HeldLock other = heldByAnother(context)) {
                Disposable waiting = jobs.mono(() -> Mono.just("done")).subscribe();
                waiting.dispose();
                assertThat(other.isHeld()).isTrue();
            }
            assertThat(isFree(context)).isTrue();
            assertThat(jobs.mono(() -> Mono.just("next")).block(PATIENCE)).isEqualTo("next");
            assertThat(jobs.calls()).isEqualTo(1);
        });
    }

    /** The grant and the cancellation at the same moment, many times. */
    @Test
    void cancellationAsTheGrantArrivesLeavesNothingBehind() {
        LockTestContext.inMemory().withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            for (int round = 0; round < 2_000; round++) {
                Disposable subscription = jobs.mono(Mono::never).subscribe();
                for (int spin = 0; spin < round % 200; spin++) {
                    Thread.onSpinWait();
                }
                subscription.dispose();
            }
            await().until(() -> context.getBean(LockClient.class).inspect(JOB).isEmpty());
        });
    }

    @Test
    void noThreadIsBlockedWhileAnotherHoldsTheLock() {
        run((context, jobs) -> {
            HeldLock other = heldByAnother(context);
            // A thread on which Reactor refuses to block.
            StepVerifier.create(jobs.mono(() -> Mono.just("done")).subscribeOn(Schedulers.parallel()))
                    .expectSubscription()
                    .then(other::close)
                    .expectNext("done")
                    .expectComplete()
                    .verify(PATIENCE);
        });
    }

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
    void aPublisherThatOutlivesTheBlockingBodyItCameFromTakesTheLockItself() {
        run((context, jobs) -> {
            AtomicReference<Mono<String>> late = new AtomicReference<>();
            jobs.blocking(() -> late.set(jobs.mono(() -> Mono.just("done"))));
            assertThat(late.get().block(PATIENCE)).isEqualTo("done");
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(2);
        });
    }

    @Test
    void outsideThereIsNoLockInTheContext() {
        StepVerifier.create(ReactiveLockContext.current())
                .expectErrorMessage("no lock is held here: it is in the Reactor context of what a @DistributedLock"
                        + " method returned that was called through its Spring bean. Keep what you subscribe to inside"
                        + " that publisher")
                .verify(PATIENCE);
    }

    @Test
    void aLossIsToldAtTheEndOfABodyThatIsLeftRunning() {
        run((context, jobs) -> {
            Sinks.Many<String> source = Sinks.many().unicast().onBackpressureBuffer();
            StepVerifier.create(jobs.flux(source::asFlux))
                    .then(() -> source.tryEmitNext("a"))
                    .expectNext("a")
                    .then(() -> context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1)))
                    .then(() -> source.tryEmitNext("b"))
                    .expectNext("b")
                    .then(source::tryEmitComplete)
                    .expectError(LockLostException.class)
                    .verify(PATIENCE);
        });
    }

    @Test
    void aLossIsSuppressedIntoAnErrorOfTheBody() {
        run((context, jobs) -> {
            Sinks.One<String> source = Sinks.one();
            StepVerifier.create(jobs.mono(source::asMono))
                    .expectSubscription()
                    .then(() -> await().until(() -> jobs.calls() == 1))
                    .then(() -> context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1)))
                    .then(() -> source.tryEmitError(new IOException("disk")))
                    .expectErrorSatisfies(seen -> {
                        assertThat(seen).isInstanceOf(IOException.class);
                        assertThat(seen.getSuppressed()).hasAtLeastOneElementOfType(LockLostException.class);
                    })
                    .verify(PATIENCE);
        });
    }

    @Test
    void interruptCancelsTheSubscriptionAndTellsOfTheLoss() {
        run((context, jobs) -> {
            AtomicInteger cancelled = new AtomicInteger();
            StepVerifier.create(jobs.cancelledOnLoss(
                            () -> Flux.just("a").concatWith(Flux.never()).doOnCancel(cancelled::incrementAndGet)))
                    .expectNext("a")
                    .then(() -> context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1)))
                    .expectErrorSatisfies(seen -> assertThat(seen)
                            .isInstanceOf(LockLostException.class)
                            .hasNoSuppressedExceptions())
                    .verify(PATIENCE);
            assertThat(cancelled).hasValue(1);
        });
    }

    @Test
    void anyTypeThatSpringCanAdaptIsLocked() {
        run((context, jobs) -> {
            assertThat(Mono.from(jobs.publisher()).block(PATIENCE)).isEqualTo("[job]");
            assertThat(JdkFlowAdapter.flowPublisherToFlux(jobs.flow()).blockLast(PATIENCE))
                    .isEqualTo("[job]");
            assertThat(jobs.flowable().toList().blockingGet()).isEqualTo(List.of("[job]"));
            assertThat(isFree(context)).isTrue();
        });
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
