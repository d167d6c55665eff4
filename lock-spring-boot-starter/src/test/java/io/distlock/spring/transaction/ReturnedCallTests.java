package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Work that goes on after the call that started it has returned, and released its own lock. */
class ReturnedCallTests {

    static class Jobs {

        @DistributedLock("outer")
        public void outer(Runnable body) {
            body.run();
        }

        @DistributedLock(name = "inner", condition = "false")
        public <T> CompletableFuture<T> unlocked(Supplier<T> body) {
            return CompletableFuture.completedFuture(body.get());
        }

        @DistributedLock("inner")
        public <T> CompletableFuture<T> inner(Supplier<T> body) {
            return CompletableFuture.completedFuture(body.get());
        }
    }

    @Test
    void theReleasedLockOfThatCallIsNotOneOfItsLocksAndPreventsNoCommit() {
        assertThat(locksAndCommitAfterTheReturn(Jobs::inner)).containsExactly("[inner]");
    }

    @Test
    void norIfTheWorkTakesNoLockOfItsOwn() {
        assertThat(locksAndCommitAfterTheReturn(Jobs::unlocked)).isEmpty();
    }

    /** The keys of the locks that the work sees once the call around it has returned and it has committed a transaction. */
    private static List<String> locksAndCommitAfterTheReturn(
            BiFunction<Jobs, Supplier<List<HeldLock>>, CompletableFuture<List<HeldLock>>> work) {
        AtomicReference<List<HeldLock>> seen = new AtomicReference<>(List.of());
        Database.runner().withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            Database database = context.getBean(Database.class);
            TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch returned = new CountDownLatch(1);
            CompletableFuture<CompletableFuture<List<HeldLock>>> started = new CompletableFuture<>();
            jobs.outer(() -> {
                started.complete(work.apply(jobs, () -> {
                    inside.countDown();
                    await(returned);
                    template.executeWithoutResult(status -> database.insert("inner"));
                    return LockContext.all();
                }));
                await(inside);
            });
            returned.countDown();
            seen.set(started.join().get(30, TimeUnit.SECONDS));
            assertThat(database.rows()).containsExactly("inner");
        });
        return seen.get().stream().map(lock -> lock.keys().toString()).toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }
}
