package io.distlock.spring.reentrancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.ReactiveLockContext;
import io.distlock.test.provider.FaultyLockProvider;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Shared and exclusive calls inside one another, where the work goes on after the return. */
class ReentrancyByModeTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String CURE = "Take the outer lock EXCLUSIVE";

    static class Stock {

        @DistributedLock("stock")
        public CompletableFuture<String> exclusive(Supplier<CompletableFuture<String>> body) {
            return body.get();
        }

        @DistributedLock(name = "stock", mode = LockMode.SHARED)
        public CompletableFuture<String> shared(Supplier<CompletableFuture<String>> body) {
            return body.get();
        }

        @DistributedLock("stock")
        public Mono<String> exclusiveMono(Mono<String> body) {
            return body;
        }

        @DistributedLock(name = "stock", mode = LockMode.SHARED)
        public Mono<String> sharedMono(Mono<String> body) {
            return body;
        }
    }

    private interface Work {

        void with(Stock stock) throws Exception;
    }

    /** In each case there is one lock, the outer one, and at the end it is free. */
    private static void run(Work work) {
        LockTestContext.manual().withBean(Stock.class).run(context -> {
            work.with(context.getBean(Stock.class));
            assertOneLockThatIsFree(context);
        });
    }

    private static void assertOneLockThatIsFree(AssertableApplicationContext context) {
        assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(1);
        assertThat(context.getBean(LockClient.class).inspect(LockKey.of("stock")))
                .isEmpty();
    }

    @Test
    void anExclusiveFutureInsideASharedOneIsRefusedRatherThanWaitedFor() {
        run(stock -> assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> stock.shared(() -> stock.exclusive(() -> CompletableFuture.completedFuture("never")))
                        .get(30, TimeUnit.SECONDS))
                .withCauseInstanceOf(IllegalStateException.class)
                .withMessageContaining(CURE));
    }

    @Test
    void aSharedFutureInsideAnExclusiveOneRunsUnderIt() {
        run(stock -> assertThat(stock.exclusive(() -> stock.shared(() -> CompletableFuture.completedFuture(
                                LockContext.current().mode().name())))
                        .get(30, TimeUnit.SECONDS))
                .isEqualTo("EXCLUSIVE"));
    }

    @Test
    void anExclusivePublisherInsideASharedOneIsRefusedRatherThanWaitedFor() {
        run(stock -> StepVerifier.create(stock.sharedMono(stock.exclusiveMono(Mono.just("never"))))
                .expectErrorSatisfies(refusal -> assertThat(refusal)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(CURE))
                .verify(PATIENCE));
    }

    @Test
    void aSharedPublisherInsideAnExclusiveOneRunsUnderIt() {
        run(stock -> assertThat(stock.exclusiveMono(stock.sharedMono(ReactiveLockContext.current()
                                .map(lock -> lock.mode().name())))
                        .block(PATIENCE))
                .isEqualTo("EXCLUSIVE"));
    }
}
