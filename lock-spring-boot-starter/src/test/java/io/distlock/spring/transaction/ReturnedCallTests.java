package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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

        @DistributedLock("inner")
        public <T> CompletableFuture<T> inner(Supplier<T> body) {
            return CompletableFuture.completedFuture(body.get());
        }
    }

    @Test
    void theReleasedLockOfThatCallIsNotOneOfItsLocksAndPreventsNoCommit() {
        Database.runner().withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            Database database = context.getBean(Database.class);
            TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch returned = new CountDownLatch(1);
            CompletableFuture<CompletableFuture<List<HeldLock>>> started = new CompletableFuture<>();
            jobs.outer(() -> {
                started.complete(jobs.inner(() -> {
                    inside.countDown();
                    await(returned);
                    template.executeWithoutResult(status -> database.insert("inner"));
                    return LockContext.all();
                }));
                await(inside);
            });
            returned.countDown();
            assertThat(started.join().get(30, TimeUnit.SECONDS))
                    .singleElement()
                    .satisfies(lock -> assertThat(lock.keys()).hasToString("[inner]"));
            assertThat(database.rows()).containsExactly("inner");
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }
}
