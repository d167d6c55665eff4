package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockNotAcquiredException;
import io.distlock.test.provider.FaultyLockProvider;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import reactor.core.publisher.Mono;

/** Which calls are locked at all. */
class ConditionTests {

    static class Jobs {

        @DistributedLock(name = "job", condition = "#amount > 100")
        public boolean transfer(int amount) {
            return LockContext.find().isPresent();
        }

        @DistributedLock(name = "job", condition = "#wanted")
        public CompletableFuture<Thread> future(boolean wanted) {
            return CompletableFuture.completedFuture(Thread.currentThread());
        }

        @DistributedLock(name = "job", condition = "#wanted")
        public Mono<Thread> mono(boolean wanted) {
            return Mono.just(Thread.currentThread());
        }

        @DistributedLock(name = "job", condition = "#wanted")
        public boolean ifWanted(Object wanted) {
            return LockContext.find().isPresent();
        }
    }

    private interface Work {

        void with(AssertableApplicationContext context, Jobs jobs);
    }

    private static void run(Work work) {
        LockTestContext.manual().withBean(Jobs.class).run(context -> work.with(context, context.getBean(Jobs.class)));
    }

    @Test
    void aCallForWhichItIsTrueIsLockedAndAnyOtherRunsWithoutALock() {
        run((context, jobs) -> {
            assertThat(jobs.transfer(101)).isTrue();
            assertThat(jobs.transfer(100)).isFalse();
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(1);
        });
    }

    @Test
    void aCallForWhichItIsFalseDoesNotWaitForAnother() {
        run((context, jobs) -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock held = other.acquire(other.request("job"))) {
                assertThat(jobs.transfer(100)).isFalse();
                assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> jobs.transfer(101));
                assertThat(held.isHeld()).isTrue();
            }
        });
    }

    /** Where it may block. */
    @Test
    void aBodyWhoseWorkContinuesRunsOnTheExecutorToo() {
        run((context, jobs) -> {
            Thread caller = Thread.currentThread();
            assertThat(jobs.future(false).orTimeout(30, TimeUnit.SECONDS).join())
                    .isNotSameAs(caller);
            assertThat(jobs.mono(false).block(Duration.ofSeconds(30))).isNotSameAs(caller);
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false", ""})
    void whatIsNeitherTrueNorFalseIsRefusedRatherThanGuessedAt(String text) {
        run((context, jobs) -> {
            Object value = text.isEmpty() ? null : text;
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> jobs.ifWanted(value))
                    .withMessageContaining("condition \"#wanted\" of ")
                    .withMessageContaining("neither true nor false");
        });
    }
}
