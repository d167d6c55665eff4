package io.distlock.spring.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnLost;
import io.distlock.spring.ReactiveLockContext;
import io.distlock.spring.UnknownLockProviderException;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Locks by code: whatever the annotation can do. */
class LockTemplateTests {

    private static final LockKey ORDER = LockKey.of("orders", "42");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    static class Annotated {

        @DistributedLock(name = "orders", key = "#id")
        public <T> T run(long id, Supplier<T> body) {
            return body.get();
        }
    }

    private interface Work {

        void with(LockTemplate locks, AssertableApplicationContext context) throws Exception;
    }

    private static void run(Work work) {
        LockTestContext.manual()
                .withBean(Annotated.class)
                .run(context -> work.with(context.getBean(LockTemplate.class), context));
    }

    private static boolean isFree(AssertableApplicationContext context, LockKey key) {
        return context.getBean(LockClient.class).inspect(key).isEmpty();
    }

    private static void whileAnotherHolds(Work work) {
        run((locks, context) -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock held = other.acquire(other.request(ORDER))) {
                work.with(locks, context);
                assertThat(held.isHeld()).isTrue();
            }
        });
    }

    private static String held() {
        return LockContext.requireHeld("orders").keys().toString();
    }

    @Test
    void aBlockingBodyRunsUnderTheLockAndItsExceptionsPassUntouched() {
        run((locks, context) -> {
            assertThat(locks.lock("orders", 42).call(LockTemplateTests::held)).isEqualTo("[orders:42]");
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> locks.lock("orders", 42).call(() -> {
                        throw new IOException("disk");
                    }))
                    .withMessage("disk");
            assertThat(isFree(context, ORDER)).isTrue();
        });
    }

    @Test
    void keysAreReadAsTheAnnotationsAre() {
        run((locks, context) -> {
            assertThat(locks.lock("orders", List.of(2L, "1")).call(LockTemplateTests::held))
                    .isEqualTo("[orders:1, orders:2]");
            assertThat(locks.lock("orders").call(LockTemplateTests::held)).isEqualTo("[orders]");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> locks.lock("orders", new Object()))
                    .withMessageContaining("has no text");
        });
    }

    @Test
    void whoDoesNotGetTheLockIsToldOrSkippedOrGivenAnother() {
        whileAnotherHolds((locks, context) -> {
            LockSpec order = locks.lock("orders", 42);
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> order.call(() -> "never"));
            assertThat(order.tryCall(() -> "never")).isEmpty();
            assertThat(order.tryRun(() -> {
                        throw new AssertionError("must not run");
                    }))
                    .isFalse();
            assertThat(order.call(() -> "never", why -> "busy " + why.key())).isEqualTo("busy orders:42");
        });
    }

    @Test
    void aSilentStoreIsReplacedOnlyIfThatIsSaid() {
        run((locks, context) -> {
            context.getBean(FaultyLockProvider.class).onAcquire(Fault.ERROR);
            LockSpec order = locks.lock("orders", 42);
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> order.call(() -> "never", why -> "instead"));
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> order.tryCall(() -> "never"));
            assertThat(order.orElseIfUnavailable().call(() -> "never", why -> "instead"))
                    .isEqualTo("instead");
        });
    }

    @Test
    void aFutureIsLockedUntilItIsDone() {
        run((locks, context) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CountDownLatch called = new CountDownLatch(1);
            CompletableFuture<String> result = locks.lock("orders", 42).future(() -> {
                called.countDown();
                return work;
            });
            assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(isFree(context, ORDER)).isFalse();
            work.complete("done");
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(isFree(context, ORDER)).isTrue();
        });
        whileAnotherHolds((locks, context) -> {
            LockSpec order = locks.lock("orders", 42);
            assertThat(order.future(CompletableFuture::new, why -> CompletableFuture.completedFuture("busy"))
                            .get(30, TimeUnit.SECONDS))
                    .isEqualTo("busy");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> order.future(CompletableFuture::new).get(30, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LockNotAcquiredException.class);
        });
    }

    @Test
    void aPublisherIsLockedForEachSubscription() {
        run((locks, context) -> {
            Mono<String> mono = locks.lock("orders", 42)
                    .mono(() -> ReactiveLockContext.current().map(lock -> "free " + isFree(context, ORDER)));
            assertThat(mono.block(PATIENCE)).isEqualTo("free false");
            assertThat(mono.block(PATIENCE)).isEqualTo("free false");
            assertThat(locks.lock("orders", 42)
                            .flux(() -> Flux.just("a", "b"))
                            .collectList()
                            .block(PATIENCE))
                    .containsExactly("a", "b");
            assertThat(context.getBean(FaultyLockProvider.class).releases()).isEqualTo(3);
        });
        whileAnotherHolds((locks, context) -> {
            LockSpec order = locks.lock("orders", 42);
            assertThat(order.mono(Mono::never, why -> Mono.just("busy")).block(PATIENCE))
                    .isEqualTo("busy");
            StepVerifier.create(order.flux(Flux::never))
                    .expectError(LockNotAcquiredException.class)
                    .verify(PATIENCE);
        });
    }

    @Test
    void theTemplateAndTheAnnotationEnterEachOthersLocks() {
        run((locks, context) -> {
            Annotated annotated = context.getBean(Annotated.class);
            locks.lock("orders", 42).run(() -> annotated.run(42, LockTemplateTests::held));
            annotated.run(42, () -> locks.lock("orders", 42).call(LockTemplateTests::held));
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(2);
            assertThatIllegalStateException()
                    .isThrownBy(() -> locks.lock("orders", 42)
                            .mode(LockMode.SHARED)
                            .run(() -> annotated.run(42, LockTemplateTests::held)))
                    .withMessageContaining("it would wait for itself");
        });
    }

    @Test
    void severalLocksAreTakenTogether() {
        run((locks, context) -> locks.lock("orders", 42)
                .and(locks.lock("audit").mode(LockMode.SHARED))
                .run(() -> {
                    held();
                    assertThat(LockContext.requireHeld("audit").mode()).isEqualTo(LockMode.SHARED);
                }));
    }

    @Test
    void aLossIsToldAndMayInterrupt() {
        run((locks, context) -> {
            ManualTicker ticker = context.getBean(ManualTicker.class);
            LockSpec brief = locks.lock("orders", 42)
                    .leaseTime(Duration.ofSeconds(10))
                    .options(options -> options.withRenew(false));
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> brief.run(() -> ticker.advance(Duration.ofSeconds(11))));
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> brief.onLost(OnLost.INTERRUPT).call(() -> {
                        ticker.advance(Duration.ofSeconds(11));
                        new CountDownLatch(1).await();
                        return "never";
                    }));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void aProviderThatIsNotThereIsNamed() {
        run((locks, context) -> assertThatExceptionOfType(UnknownLockProviderException.class)
                .isThrownBy(() -> locks.lock("orders").provider("etcd")));
    }

    /** As code has it that a null-checker did not see. */
    @Test
    @SuppressWarnings("NullAway") // null is what it tests
    void aNullIsRefusedByTheNameOfTheParameter() {
        run((locks, context) -> {
            LockClient client = context.getBean(LockClient.class);
            assertThatNullPointerException()
                    .isThrownBy(() -> client.request((LockKey) null))
                    .withMessage("key must not be null");
            assertThatNullPointerException()
                    .isThrownBy(() -> client.request((List<LockKey>) null))
                    .withMessage("keys must not be null");
            assertThatNullPointerException()
                    .isThrownBy(() -> locks.lock((List<LockKey>) null))
                    .withMessage("keys must not be null");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.request((String) null))
                    .withMessageContaining("lock name is null");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> locks.lock((String) null))
                    .withMessageContaining("lock name is null");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> locks.lock("orders", null))
                    .withMessageContaining("null");
        });
    }
}
