package io.distlock.spring.future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnLost;
import io.distlock.spring.OnNotAcquired;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** The lock of an {@code @Async} method covers its body, on the thread where that runs. */
class AsyncMethodTests {

    private static final LockKey JOB = LockKey.of("job");

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Application {

        @Bean
        ThreadPoolTaskExecutor pool() {
            ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
            pool.setThreadNamePrefix("pool-of-mine-");
            pool.setTaskDecorator(task -> {
                String caller = USER.get();
                return () -> {
                    USER.set(caller);
                    try {
                        task.run();
                    } finally {
                        USER.remove();
                    }
                };
            });
            return pool;
        }
    }

    private static final ThreadLocal<String> USER = new ThreadLocal<>();

    static class Jobs {

        private final CountDownLatch inside = new CountDownLatch(1);
        private final CountDownLatch leave = new CountDownLatch(1);

        public CountDownLatch inside() {
            return inside;
        }

        public CountDownLatch leave() {
            return leave;
        }

        @Async
        @DistributedLock("job")
        public void run() throws InterruptedException {
            LockContext.requireHeld("job");
            inside.countDown();
            leave.await();
        }

        @Async
        @DistributedLock("job")
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture(
                    LockContext.requireHeld("job").keys().toString());
        }
    }

    /** Like that of a Kafka producer. */
    static class Uncancellable extends CompletableFuture<String> {

        private final AtomicInteger waits = new AtomicInteger();

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }

        @Override
        public String get() throws InterruptedException, ExecutionException {
            waits.incrementAndGet();
            return super.get();
        }
    }

    static class PoolJobs {

        private final CompletableFuture<String> work = new CompletableFuture<>();
        private final Uncancellable uncancellable = new Uncancellable();
        private final AtomicReference<String> seen = new AtomicReference<>();

        public CompletableFuture<String> work() {
            return work;
        }

        public Uncancellable uncancellable() {
            return uncancellable;
        }

        public AtomicReference<String> seen() {
            return seen;
        }

        private void look() {
            LockContext.requireHeld("job");
            seen.set(Thread.currentThread().getName() + " for " + USER.get());
        }

        @Async("pool")
        @DistributedLock("job")
        public CompletableFuture<String> completable() {
            look();
            return work;
        }

        @Async("pool")
        @DistributedLock("job")
        public Future<String> plain() {
            look();
            return work;
        }

        @Async("pool")
        @DistributedLock("job")
        public Future<String> ignoring() {
            return uncancellable;
        }

        @Async("pool")
        @DistributedLock("job")
        public CompletableFuture<String> busy(CountDownLatch leave) throws InterruptedException {
            look();
            leave.await();
            return work;
        }

        @Async("pool")
        @DistributedLock(name = "job", waitTime = "0s", onNotAcquired = OnNotAcquired.SKIP)
        public Future<Optional<String>> skipped() {
            return CompletableFuture.completedFuture(Optional.of("ran"));
        }

        @Async("pool")
        @DistributedLock(name = "job", onLost = OnLost.INTERRUPT)
        public Future<String> losing() {
            return work;
        }
    }

    private interface Work {

        void with(AssertableApplicationContext context, Jobs jobs) throws Exception;
    }

    private static void run(Work work) {
        LockTestContext.inMemory()
                .withUserConfiguration(Application.class)
                .withPropertyValues("distributed-lock.wait-time=10s")
                .withBean(Jobs.class)
                .withBean(PoolJobs.class)
                .run(context -> work.with(context, context.getBean(Jobs.class)));
    }

    @Test
    void theLockIsHeldWhileTheBodyRunsAndNotOnlyForTheHandingOver() {
        run((context, jobs) -> {
            LockClient client = context.getBean(LockClient.class);
            jobs.run();
            assertThat(jobs.inside().await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(client.inspect(JOB)).isPresent();
            jobs.leave().countDown();
            await().until(() -> client.inspect(JOB).isEmpty());
        });
    }

    @Test
    void theCallerDoesNotWaitForTheLock() {
        run((context, jobs) -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock held = other.acquire(other.request(JOB))) {
                jobs.run();
                assertThat(held.isHeld()).isTrue();
                assertThat(jobs.inside().getCount()).isEqualTo(1);
            }
            assertThat(jobs.inside().await(30, TimeUnit.SECONDS)).isTrue();
            jobs.leave().countDown();
        });
    }

    @Test
    void aFutureIsLockedToo() {
        run((context, jobs) ->
                assertThat(jobs.later().get(30, TimeUnit.SECONDS)).isEqualTo("[job]"));
    }

    @Test
    void aFutureRunsOnThePoolOfTheAnnotationWithItsDecoratorAndIsLockedUntilItIsDone() {
        run((context, jobs) -> {
            LockClient client = context.getBean(LockClient.class);
            for (Function<PoolJobs, Future<String>> method :
                    List.<Function<PoolJobs, Future<String>>>of(PoolJobs::completable, PoolJobs::plain)) {
                PoolJobs own = new PoolJobs();
                PoolJobs pooled =
                        (PoolJobs) context.getAutowireCapableBeanFactory().initializeBean(own, "poolJobs");
                USER.set("ann");
                Future<String> result = method.apply(pooled);
                USER.remove();
                await().until(() -> own.seen().get() != null);
                assertThat(own.seen().get()).startsWith("pool-of-mine-").endsWith(" for ann");
                assertThat(client.inspect(JOB)).isPresent();
                own.work().complete("done");
                assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
                await().until(() -> client.inspect(JOB).isEmpty());
            }
        });
    }

    /** To cancel what Spring returns does not end the method. */
    @Test
    void aFutureThatIsCancelledKeepsItsLockUntilTheMethodIsDone() {
        run((context, jobs) -> {
            LockClient client = context.getBean(LockClient.class);
            PoolJobs pooled = context.getBean(PoolJobs.class);
            CountDownLatch leave = new CountDownLatch(1);
            CompletableFuture<String> result = pooled.busy(leave);
            await().until(() -> pooled.seen().get() != null);
            result.cancel(true);
            assertThat(client.held()).hasSize(1);
            pooled.work().complete("done");
            assertThat(client.held()).hasSize(1);
            leave.countDown();
            await().until(() -> client.held().findAny().isEmpty());
        });
    }

    @Test
    void aFutureThatIgnoresItsCancellationKeepsItsLockUntilItIsDone() {
        run((context, jobs) -> {
            LockClient client = context.getBean(LockClient.class);
            PoolJobs pooled = context.getBean(PoolJobs.class);
            Uncancellable work = pooled.uncancellable();
            Future<String> result = pooled.ignoring();
            await().until(() -> work.waits.get() == 1);
            result.cancel(true);
            await().until(() -> work.waits.get() == 2);
            assertThat(client.held()).hasSize(1);
            work.complete("done");
            await().until(() -> client.held().findAny().isEmpty());
        });
    }

    @Test
    void aPlainFutureThatIsSkippedIsEmpty() {
        run((context, jobs) -> {
            LockClient other = LockTestContext.another(context);
            PoolJobs pooled = context.getBean(PoolJobs.class);
            try (HeldLock held = other.acquire(other.request(JOB))) {
                assertThat(pooled.skipped().get(30, TimeUnit.SECONDS)).isEmpty();
                assertThat(held.isHeld()).isTrue();
            }
            assertThat(pooled.skipped().get(30, TimeUnit.SECONDS)).contains("ran");
        });
    }

    @Test
    void aLossCancelsTheFutureOfTheMethod() {
        run((context, jobs) -> {
            LockClient client = context.getBean(LockClient.class);
            PoolJobs pooled = context.getBean(PoolJobs.class);
            Future<String> result = pooled.losing();
            // That of the call, which is the last thing it does.
            await().until(() -> pooled.work().getNumberOfDependents() == 1);
            client.held().forEach(hold -> client.forceRelease(hold.key(), hold.token()));
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> result.get(30, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LockLostException.class);
            assertThat(pooled.work()).isCancelled();
        });
    }

    @Test
    void aLossDoesNotHideTheFailureOfTheMethod() {
        run((context, jobs) -> {
            LockClient client = context.getBean(LockClient.class);
            PoolJobs pooled = context.getBean(PoolJobs.class);
            IOException ofTheMethod = new IOException("disk");
            CompletableFuture<String> result = pooled.completable();
            await().until(() -> pooled.seen().get() != null);
            client.held().forEach(hold -> client.forceRelease(hold.key(), hold.token()));
            await().until(() -> client.held().findAny().isEmpty());
            pooled.work().completeExceptionally(ofTheMethod);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> result.get(30, TimeUnit.SECONDS))
                    .satisfies(seen -> assertThat(seen.getCause())
                            .isSameAs(ofTheMethod)
                            .satisfies(own -> assertThat(own.getSuppressed())
                                    .singleElement()
                                    .isInstanceOf(LockLostException.class)));
        });
    }
}
