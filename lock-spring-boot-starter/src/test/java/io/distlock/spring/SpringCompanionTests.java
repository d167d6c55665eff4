package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.test.provider.FaultyLockProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** What of Spring stands beside a lock. */
class SpringCompanionTests {

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Application {}

    static class Jobs {

        private final List<Boolean> heldAtAttempt = new ArrayList<>();

        public List<Boolean> heldAtAttempt() {
            return heldAtAttempt;
        }

        @Retryable(maxRetries = 2, delay = 1)
        @DistributedLock("retried")
        public String retried() {
            heldAtAttempt.add(LockContext.current().isHeld());
            if (heldAtAttempt.size() < 3) {
                throw new IllegalStateException("not yet");
            }
            return "done";
        }

        @ConcurrencyLimit(1)
        @DistributedLock(name = "limited", key = "#id")
        public void limited(String id, CountDownLatch leave) throws InterruptedException {
            leave.await();
        }

        @DistributedLock("job")
        public <T> T blocking(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock("job")
        public CompletableFuture<Thread> future() {
            return CompletableFuture.completedFuture(Thread.currentThread());
        }
    }

    /** So that others get in between. */
    @Test
    void eachAttemptOfARetryTakesTheLockAnew() {
        LockTestContext.manual()
                .withUserConfiguration(Application.class)
                .withBean(Jobs.class)
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    assertThat(jobs.retried()).isEqualTo("done");
                    assertThat(jobs.heldAtAttempt()).containsExactly(true, true, true);
                    FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
                    assertThat(provider.acquires()).isEqualTo(3);
                    assertThat(provider.releases()).isEqualTo(3);
                });
    }

    @Test
    void aCallBeyondTheConcurrencyLimitHoldsNoLockWhileItWaits() {
        LockTestContext.inMemory()
                .withUserConfiguration(Application.class)
                .withBean(Jobs.class)
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    LockClient client = context.getBean(LockClient.class);
                    CountDownLatch leave = new CountDownLatch(1);
                    ExecutorService threads = Executors.newFixedThreadPool(2);
                    try {
                        Future<?> first = threads.submit(() -> {
                            jobs.limited("1", leave);
                            return null;
                        });
                        await().until(() ->
                                client.inspect(LockKey.of("limited", "1")).isPresent());
                        List<Thread> waiting = new ArrayList<>();
                        Future<?> second = threads.submit(() -> {
                            waiting.add(Thread.currentThread());
                            jobs.limited("2", leave);
                            return null;
                        });
                        await().until(() -> !waiting.isEmpty() && waiting.get(0).getState() == Thread.State.WAITING);
                        assertThat(client.inspect(LockKey.of("limited", "2"))).isEmpty();
                        leave.countDown();
                        first.get(30, TimeUnit.SECONDS);
                        second.get(30, TimeUnit.SECONDS);
                    } finally {
                        threads.shutdownNow();
                    }
                });
    }

    /** Ahead of time there is no parent that its conditions could find. */
    @Test
    @DisabledIfSystemProperty(
            named = "distlock.test.aot",
            matches = "true",
            disabledReason = "conditions are evaluated without the parent, so that the child gets clients of its own")
    void aChildContextSharesTheClientsOfItsParentAndLeavesThemOpen() {
        LockTestContext.inMemory().withBean("parents", Jobs.class).run(parent -> {
            Jobs jobs = parent.getBean(Jobs.class);
            LockTestContext.inMemory()
                    .withParent(parent.getSourceApplicationContext())
                    .withBean("childs", Jobs.class)
                    .run(child -> {
                        assertThat(child.getBean(LockClient.class)).isSameAs(parent.getBean(LockClient.class));
                        Jobs inTheChild = child.getBean("childs", Jobs.class);
                        // Under the same lock, and not against it.
                        assertThat(jobs.<String>blocking(() -> inTheChild.blocking(() -> "done")))
                                .isEqualTo("done");
                    });
            assertThat(jobs.<String>blocking(() -> "still open")).isEqualTo("still open");
        });
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void bodiesRunOnVirtualThreadsIfSpringBootIsToldSo() {
        LockTestContext.inMemory()
                .withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .withBean(Jobs.class)
                .run(context -> assertThat(
                                isVirtual(context.getBean(Jobs.class).future().get(30, TimeUnit.SECONDS)))
                        .isTrue());
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void andSoTheyDoWithoutAnExecutorOfSpringBoot() {
        LockTestContext.inMemory()
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .withBean(Jobs.class)
                .run(context -> {
                    Thread thread = context.getBean(Jobs.class).future().get(30, TimeUnit.SECONDS);
                    assertThat(isVirtual(thread)).isTrue();
                    assertThat(thread.getName()).startsWith("distlock-body-");
                });
    }

    /** Compiled for a JDK that has none. */
    private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
        return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    }
}
