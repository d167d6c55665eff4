package io.distlock.spring.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Ticker;
import io.distlock.spring.DistributedLock.Fencing;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnLost;
import io.distlock.spring.execution.EnclosingScope;
import io.distlock.spring.execution.Executions;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** The refinements of code under a lock, in each way to run it. */
class LockSpecTests {

    private static final LockKey ORDERS = LockKey.of("orders");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** A second store, which is the default one. */
    @Configuration(proxyBeanMethods = false)
    static class Own {

        @Bean
        FaultyLockProvider own(LockRuntime runtime) {
            return new FaultyLockProvider(new InMemoryLockProvider(runtime), "own");
        }
    }

    private interface Work {

        void with(LockSpec orders, AssertableApplicationContext context) throws Exception;
    }

    private static void run(Work work) {
        run(LockTestContext.manual(), work);
    }

    private static void run(ApplicationContextRunner runner, Work work) {
        runner.run(context -> work.with(context.getBean(LockTemplate.class).lock("orders"), context));
    }

    private static void onTwoStores(Work work) {
        run(
                LockTestContext.manual()
                        .withUserConfiguration(Own.class)
                        .withPropertyValues("distributed-lock.provider=own"),
                work);
    }

    private static LockSpec cancelledOnLoss(LockSpec code) {
        return code.leaseTime(Duration.ofSeconds(10))
                .options(options -> options.withRenew(false))
                .onLost(OnLost.INTERRUPT);
    }

    private static void lose(AssertableApplicationContext context) {
        context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
    }

    private final LockRuntime runtime = ManualScheduler.runtime(new ManualTicker());

    /** Holds its locks for a time of its own. */
    private LockClient holdingFor(Duration leaseTime, FaultyLockProvider provider) {
        return LockClientBuilder.of(provider, runtime)
                .options(LockOptions.defaults().withLeaseTime(leaseTime).withWaitTime(Duration.ZERO))
                .build();
    }

    private FaultyLockProvider store(String name) {
        return new FaultyLockProvider(new InMemoryLockProvider(runtime), name);
    }

    private static LockTemplate template(LockClient... clients) {
        return template(EnclosingScope.Resolver.NONE, clients);
    }

    private static LockTemplate template(EnclosingScope.Resolver scopes, LockClient... clients) {
        return new LockTemplate(
                new LockClients(List.of(clients), clients[0].provider()),
                new Executions(scopes, Optional.empty(), Ticker::system, () -> Runnable::run, List::of));
    }

    @Test
    void anotherProviderHoldsTheLockForItsOwnTimeUnlessOneIsSaid() {
        LockSpec orders = template(
                        holdingFor(Duration.ofSeconds(10), store("first")),
                        holdingFor(Duration.ofSeconds(20), store("second")))
                .lock("orders");
        assertThat(remaining(orders)).isBetween(9L, 10L);
        assertThat(remaining(orders.provider("second"))).isBetween(19L, 20L);
        assertThat(remaining(orders.waitTime(Duration.ZERO).provider("second"))).isBetween(19L, 20L);
        assertThat(remaining(orders.leaseTime(Duration.ofSeconds(5)).provider("second")))
                .isBetween(4L, 5L);
        assertThat(remaining(orders.provider("second").leaseTime(Duration.ofSeconds(5))))
                .isBetween(4L, 5L);
    }

    private static long remaining(LockSpec code) {
        return code.call(() -> LockContext.current().remaining().toSeconds());
    }

    @Test
    void noRefinementForgetsAnotherOne() {
        EnclosingScope.Resolver fencing = new EnclosingScope.Resolver() {
            @Override
            public EnclosingScope current() {
                return EnclosingScope.NONE;
            }

            @Override
            public boolean isFencing() {
                return true;
            }
        };
        LockSpec orders = template(
                        fencing,
                        holdingFor(Duration.ofSeconds(10), store("first")),
                        holdingFor(Duration.ofSeconds(20), store("second")))
                .lock("orders");
        List<UnaryOperator<LockSpec>> refinements = List.of(
                spec -> spec.mode(LockMode.SHARED),
                spec -> spec.permits(2),
                spec -> spec.onLost(OnLost.INTERRUPT),
                spec -> spec.waitTime(Duration.ZERO),
                spec -> spec.provider("second"),
                LockSpec::orElseIfUnavailable);
        for (UnaryOperator<LockSpec> refinement : refinements) {
            LockSpec brief = refinement.apply(orders.leaseTime(Duration.ofSeconds(5)));
            assertThat(remaining(brief)).isBetween(4L, 5L);
            assertThat(remaining(brief.provider("second"))).isBetween(4L, 5L);
            // Only a resource for reactive transactions would do.
            LockSpec demanding = refinement.apply(orders.fencing(Fencing.ON));
            assertThatIllegalStateException()
                    .isThrownBy(() -> demanding.mono(Mono::empty))
                    .withMessageContaining("reactive");
        }
    }

    @Test
    void whatIsSaidAfterSeveralLocksIsSaidOfTheLastOne() {
        LockTemplate locks = template(holdingFor(Duration.ofSeconds(10), store("first")));
        locks.lock("a")
                .and(locks.lock("b"))
                .and(locks.lock("c"))
                .mode(LockMode.SHARED)
                .run(() -> assertThat(Stream.of("a", "b", "c")
                                .map(name -> LockContext.requireHeld(name).mode()))
                        .containsExactly(LockMode.EXCLUSIVE, LockMode.EXCLUSIVE, LockMode.SHARED));
    }

    @Test
    void whicheverOfSeveralLocksSaidItASilentStoreIsReplacedForAll() {
        FaultyLockProvider store = store("first");
        LockTemplate locks = template(holdingFor(Duration.ofSeconds(10), store));
        LockSpec plain = locks.lock("a");
        LockSpec replaced = locks.lock("b").orElseIfUnavailable();
        store.onAcquire(Fault.ERROR);
        for (LockSpec both : List.of(
                plain.and(replaced),
                replaced.and(plain),
                replaced.mode(LockMode.SHARED).and(plain),
                plain.and(locks.lock("b")).orElseIfUnavailable())) {
            assertThat(both.call(() -> "never", why -> "instead")).isEqualTo("instead");
        }
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> plain.and(locks.lock("b")).call(() -> "never", why -> "instead"));
    }

    @Test
    void aLossCancelsTheFutureOfTheBody() {
        run((orders, context) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CountDownLatch called = new CountDownLatch(1);
            CompletableFuture<String> result = cancelledOnLoss(orders).future(() -> {
                called.countDown();
                return work;
            });
            assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
            lose(context);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> result.get(30, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LockLostException.class);
            assertThatExceptionOfType(CancellationException.class).isThrownBy(work::join);
        });
    }

    @Test
    void aLossCancelsTheSubscriptionToTheBody() {
        run((orders, context) -> {
            CountDownLatch cancelled = new CountDownLatch(1);
            Mono<String> work = Mono.<String>never()
                    .doOnSubscribe(subscribed -> lose(context))
                    .doOnCancel(cancelled::countDown);
            StepVerifier.create(cancelledOnLoss(orders).mono(() -> work))
                    .expectError(LockLostException.class)
                    .verify(PATIENCE);
            assertThat(cancelled.await(30, TimeUnit.SECONDS)).isTrue();
        });
    }

    @Test
    void aSilentStoreIsReplacedInAFutureAndInAPublisherOnlyIfThatIsSaid() {
        run((orders, context) -> {
            context.getBean(FaultyLockProvider.class).onAcquire(Fault.ERROR);
            CompletableFuture<String> instead = CompletableFuture.completedFuture("instead");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> orders.future(CompletableFuture::new, why -> instead)
                            .get(30, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LockUnavailableException.class);
            StepVerifier.create(orders.mono(Mono::never, why -> Mono.just("instead")))
                    .expectError(LockUnavailableException.class)
                    .verify(PATIENCE);
            StepVerifier.create(orders.flux(Flux::never, why -> Flux.just("instead")))
                    .expectError(LockUnavailableException.class)
                    .verify(PATIENCE);

            LockSpec both = orders.orElseIfUnavailable();
            assertThat(both.future(CompletableFuture::new, why -> instead).get(30, TimeUnit.SECONDS))
                    .isEqualTo("instead");
            assertThat(both.mono(Mono::never, why -> Mono.just("instead")).block(PATIENCE))
                    .isEqualTo("instead");
            assertThat(both.flux(Flux::never, why -> Flux.just("in", "stead"))
                            .collectList()
                            .block(PATIENCE))
                    .containsExactly("in", "stead");
        });
    }

    @Test
    void severalValuesTakeThePlaceOfABodyThatDoesNotGetTheLock() {
        run((orders, context) -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock held = other.acquire(other.request(ORDERS))) {
                assertThat(orders.flux(Flux::never, why -> Flux.just("busy", why.key()))
                                .collectList()
                                .block(PATIENCE))
                        .containsExactly("busy", ORDERS);
                assertThat(held.isHeld()).isTrue();
            }
        });
    }

    @Test
    void aBodyThatHasRunAndGivesNullIsNotTakenForOneThatHasNotRun() {
        run((orders, context) -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> orders.tryCall(() -> null))
                    .withMessageContaining("has returned null")
                    .withMessageContaining("use tryRun");
            assertThat(context.getBean(LockClient.class).inspect(ORDERS)).isEmpty();
        });
    }

    @Test
    void anotherProviderGrantsTheLock() {
        onTwoStores((orders, context) -> {
            LockClient inMemory = context.getBean(LockClients.class).get("in-memory");
            orders.provider("in-memory").run(() -> {
                assertThat(inMemory.inspect(ORDERS)).isPresent();
                assertThat(context.getBean(LockClients.class).primary().inspect(ORDERS))
                        .isEmpty();
            });
            try (HeldLock held = inMemory.acquire(inMemory.request(ORDERS))) {
                orders.run(held::ensureHeld);
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> orders.provider("in-memory").run(() -> {}));
            }
        });
    }

    @Test
    void whatWasSaidBeforeTheProviderCountsAsWhatIsSaidAfterIt() {
        onTwoStores((orders, context) -> {
            LockSpec before = cancelledOnLoss(orders).fencing(Fencing.DEFAULT).provider("in-memory");
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> before.call(() -> {
                        assertThat(LockContext.current().remaining()).isLessThanOrEqualTo(Duration.ofSeconds(10));
                        lose(context);
                        new CountDownLatch(1).await();
                        return "never";
                    }));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }
}
