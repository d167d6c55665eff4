package io.distlock.spring.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A call that takes three locks loses the second one while it waits for the third. */
class LossBetweenLocksTests {

    static class Jobs {

        private final AtomicInteger ran = new AtomicInteger();

        public int ran() {
            return ran.get();
        }

        @DistributedLock("a")
        @DistributedLock(name = "b", renew = false, leaseTime = "10s")
        @DistributedLock(name = "c", waitTime = "1m")
        public int blocking() {
            return ran.incrementAndGet();
        }

        @DistributedLock("a")
        @DistributedLock(name = "b", renew = false, leaseTime = "10s")
        @DistributedLock(name = "c", waitTime = "1m")
        public CompletableFuture<Integer> future() {
            return CompletableFuture.completedFuture(ran.incrementAndGet());
        }

        @DistributedLock("a")
        @DistributedLock(name = "b", renew = false, leaseTime = "10s")
        @DistributedLock(name = "c", waitTime = "1m")
        public Mono<Integer> mono() {
            return Mono.fromCallable(ran::incrementAndGet);
        }
    }

    private static void assertDoesNotRun(Function<Jobs, CompletableFuture<Integer>> call) {
        LockTestContext.manual().withBean(Jobs.class).run(context -> {
            LockClient client = context.getBean(LockClient.class);
            LockClient other = LockTestContext.another(context);
            HeldLock third = other.acquire(other.request("c"));
            CompletableFuture<Integer> result = call.apply(context.getBean(Jobs.class));
            await().until(() -> client.waiting().count() == 1);
            context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
            third.release();
            assertThat(result)
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .withCauseInstanceOf(LockLostException.class);
            assertThat(context.getBean(Jobs.class).ran()).isZero();
            await().untilAsserted(
                            () -> assertThat(other.inspect(LockKey.of("a"))).isEmpty());
            await().untilAsserted(
                            () -> assertThat(other.inspect(LockKey.of("c"))).isEmpty());
        });
    }

    @Test
    void theMethodDoesNotRunAndNoLockIsKept() {
        assertDoesNotRun(jobs -> CompletableFuture.supplyAsync(jobs::blocking, call -> new Thread(call).start()));
    }

    @Test
    void neitherDoesOneThatReturnsAFuture() {
        assertDoesNotRun(Jobs::future);
    }

    @Test
    void neitherDoesOneThatReturnsAPublisher() {
        assertDoesNotRun(jobs -> jobs.mono().toFuture());
    }
}
