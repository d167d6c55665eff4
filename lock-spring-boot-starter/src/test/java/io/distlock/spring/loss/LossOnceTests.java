package io.distlock.spring.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.LockLostException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import reactor.core.publisher.Mono;

/** The caller is told of a lost lock once, wherever else it was noticed. */
class LossOnceTests {

    static class Jobs {

        @DistributedLock(name = "outer", renew = false)
        public <T> T outer(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "a", renew = false)
        @DistributedLock(name = "b", renew = false)
        public <T> T two(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "outer", renew = false)
        public <T> CompletableFuture<T> future(Supplier<T> body) {
            return CompletableFuture.completedFuture(body.get());
        }

        @DistributedLock(name = "outer", renew = false)
        public <T> Mono<T> mono(Supplier<T> body) {
            return Mono.justOrEmpty(body.get());
        }
    }

    private interface Work {

        void with(Jobs jobs, Supplier<Object> noticesTheLoss) throws Exception;
    }

    private static void run(Work work) {
        LockTestContext.manual()
                .withBean(Jobs.class)
                .run(context -> work.with(context.getBean(Jobs.class), () -> notices(context)));
    }

    private static Object notices(AssertableApplicationContext context) {
        context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1));
        LockContext.current().ensureHeld();
        throw new AssertionError("the lock is lost");
    }

    /** All losses that a stack trace would show. */
    private static List<LockLostException> losses(Throwable seen) {
        Set<Throwable> all = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> todo = new ArrayList<>(List.of(seen));
        while (!todo.isEmpty()) {
            Throwable each = todo.remove(0);
            if (all.add(each)) {
                todo.addAll(List.of(each.getSuppressed()));
                if (each.getCause() != null) {
                    todo.add(each.getCause());
                }
            }
        }
        return all.stream()
                .filter(LockLostException.class::isInstance)
                .map(LockLostException.class::cast)
                .toList();
    }

    @Test
    void aLossThatTheBodyThrewIsNotSuppressedIntoItself() {
        run((jobs, notices) -> {
            Throwable seen = catchThrowable(() -> jobs.outer(notices));
            assertThat(seen).isInstanceOf(LockLostException.class).hasNoSuppressedExceptions();
        });
    }

    @Test
    void neitherThroughInnerCallsNorInsideAnotherException() {
        run((jobs, notices) -> {
            assertThat(losses(catchThrowable(() -> jobs.outer(() -> jobs.outer(notices)))))
                    .hasSize(1);
            Throwable wrapped = catchThrowable(() -> jobs.outer(() -> {
                try {
                    return notices.get();
                } catch (LockLostException lost) {
                    throw new IllegalStateException("the step failed", lost);
                }
            }));
            assertThat(wrapped).isInstanceOf(IllegalStateException.class);
            assertThat(losses(wrapped)).hasSize(1);
        });
    }

    @Test
    void neitherInAFutureNorInAPublisher() {
        run((jobs, notices) -> {
            Throwable ofTheFuture = catchThrowable(() -> jobs.future(notices).get(30, TimeUnit.SECONDS));
            assertThat(losses(ofTheFuture)).hasSize(1);
            Throwable ofTheMono = catchThrowable(() -> jobs.mono(notices).block());
            assertThat(losses(ofTheMono)).hasSize(1);
        });
    }

    @Test
    void twoLossesAreTwo() {
        run((jobs, notices) -> {
            List<LockLostException> seen = losses(catchThrowable(() -> jobs.two(notices)));
            assertThat(seen).extracting(lost -> lost.loss().key().name()).containsExactlyInAnyOrder("a", "b");
        });
    }
}
