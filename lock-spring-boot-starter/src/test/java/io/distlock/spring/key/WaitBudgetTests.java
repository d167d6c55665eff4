package io.distlock.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.template.LockTemplate;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Mono;

/** Several locks of one call have one time to wait, counted from the call. */
class WaitBudgetTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    static class Jobs {

        @DistributedLock(name = "a", waitTime = "5s")
        @DistributedLock(name = "b", waitTime = "5s")
        public List<LockKey> blocking() {
            return LockContext.current().keys();
        }

        @DistributedLock(name = "a", waitTime = "5s")
        @DistributedLock(name = "b", waitTime = "5s")
        public CompletableFuture<List<LockKey>> future() {
            return CompletableFuture.completedFuture(blocking());
        }

        @DistributedLock(name = "a", waitTime = "5s")
        @DistributedLock(name = "b", waitTime = "5s")
        public Mono<List<LockKey>> mono() {
            return Mono.fromSupplier(this::blocking);
        }
    }

    /** Waits for three seconds for the one lock, and gets it; then for two for the other. */
    private static void run(Function<ApplicationContext, CompletableFuture<?>> call) {
        LockTestContext.manual().withBean(Jobs.class).run(context -> {
            FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
            ManualTicker ticker = context.getBean(ManualTicker.class);
            LockClient other = LockTestContext.another(context);
            HeldLock a = other.acquire(other.request("a"));
            other.acquire(other.request("b"));

            CompletableFuture<?> result = call.apply(context);
            await().atMost(PATIENCE).until(() -> provider.acquires() == 3);
            ticker.advance(Duration.ofSeconds(3));
            a.release();
            await().atMost(PATIENCE).until(() -> provider.acquires() == 4);
            ticker.advance(Duration.ofMillis(1_999));
            assertThat(result).isNotDone();
            ticker.advance(Duration.ofMillis(1));
            // Its timer may be set only now, if its thread stood still.
            await().atMost(PATIENCE).until(() -> {
                ticker.advance(Duration.ZERO);
                return result.isDone();
            });
            assertThat(result)
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOfSatisfying(
                            LockNotAcquiredException.class,
                            failure -> assertThat(failure.key()).isEqualTo(LockKey.of("b")));
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(other.inspect(LockKey.of("a"))).isEmpty());
        });
    }

    @Test
    void ofAMethodThatBlocks() {
        run(context -> inAThread(() -> context.getBean(Jobs.class).blocking()));
    }

    private static CompletableFuture<?> inAThread(Runnable call) {
        CompletableFuture<?> result = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        call.run();
                        result.complete(null);
                    } catch (RuntimeException failure) {
                        result.completeExceptionally(failure);
                    }
                })
                .start();
        return result;
    }

    @Test
    void ofAMethodThatReturnsAFuture() {
        run(context -> context.getBean(Jobs.class).future());
    }

    @Test
    void ofEachSubscription() {
        run(context -> {
            Mono<?> mono = context.getBean(Jobs.class).mono();
            // Time that passes before somebody subscribes is not waiting.
            context.getBean(ManualTicker.class).advance(Duration.ofSeconds(4));
            return mono.toFuture();
        });
    }

    /** The one waited for longer than the other may. */
    @Test
    void aLockWhoseOwnTimeIsUpIsTriedOnce() {
        LockTestContext.manual().run(context -> {
            FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockClient other = LockTestContext.another(context);
            HeldLock a = other.acquire(other.request("a"));
            other.acquire(other.request("b"));
            CompletableFuture<String> result = locks.lock("a")
                    .waitTime(Duration.ofSeconds(5))
                    .and(locks.lock("b").waitTime(Duration.ofSeconds(2)))
                    .future(() -> CompletableFuture.completedFuture("never"));
            await().atMost(PATIENCE).until(() -> provider.acquires() == 3);
            context.getBean(ManualTicker.class).advance(Duration.ofSeconds(3));
            a.release();
            assertThat(result)
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .withCauseInstanceOf(LockNotAcquiredException.class);
            assertThat(provider.acquires()).isEqualTo(4);
        });
    }

    @Test
    void ofATemplate() {
        run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            Duration wait = Duration.ofSeconds(5);
            return locks.lock("b")
                    .waitTime(wait)
                    .and(locks.lock("a").waitTime(wait))
                    .future(() -> CompletableFuture.completedFuture("never"));
        });
    }
}
