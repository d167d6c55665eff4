package io.distlock.spring.future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTaskExecutor;
import io.distlock.spring.LockTestContext;
import io.micrometer.context.ContextRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.ConcurrentTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import reactor.core.publisher.Mono;

/** Which executor runs the bodies of futures and publishers, and in which context. */
@ExtendWith(OutputCaptureExtension.class)
class TaskExecutorTests {

    private final ApplicationContextRunner withoutBoot =
            LockTestContext.inMemory().withBean(Jobs.class);

    private final ApplicationContextRunner runner =
            withoutBoot.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class));

    static class Jobs {

        @DistributedLock(name = "job", waitTime = "30s")
        public <T> CompletableFuture<T> future(Supplier<T> body) {
            return CompletableFuture.completedFuture(body.get());
        }

        @DistributedLock(name = "job", waitTime = "30s")
        public <T> Mono<T> mono(Supplier<T> body) {
            return Mono.justOrEmpty(body.get());
        }
    }

    private static String threadOfAFuture(AssertableApplicationContext context) throws Exception {
        return context.getBean(Jobs.class)
                .future(() -> Thread.currentThread().getName())
                .get(30, TimeUnit.SECONDS);
    }

    private static String threadOfAMono(AssertableApplicationContext context) {
        return context.getBean(Jobs.class)
                .mono(() -> Thread.currentThread().getName())
                .block();
    }

    private static ThreadPoolTaskExecutor pool(String prefix) {
        ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
        pool.setThreadNamePrefix(prefix);
        return pool;
    }

    @Configuration(proxyBeanMethods = false)
    static class Pools {

        @Bean(defaultCandidate = false)
        ThreadPoolTaskExecutor another() {
            return pool("another-");
        }

        @Bean
        String notAnExecutor() {
            return "text";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {

        @Bean(defaultCandidate = false)
        @LockTaskExecutor
        ThreadPoolTaskExecutor marked() {
            return pool("marked-");
        }
    }

    @Test
    void itIsThatOfSpringBoot(CapturedOutput output) {
        runner.run(context -> {
            assertThat(threadOfAFuture(context)).startsWith("task-");
            assertThat(threadOfAMono(context)).startsWith("task-");
        });
        assertThat(output).doesNotContain("is not eligible for getting processed by all BeanPostProcessors");
    }

    @Test
    void orTheOneThatAPropertyNames() {
        runner.withUserConfiguration(Pools.class)
                .withPropertyValues("distributed-lock.task-executor=another")
                .run(context -> {
                    assertThat(threadOfAFuture(context)).startsWith("another-");
                    assertThat(threadOfAMono(context)).startsWith("another-");
                });
    }

    @Test
    void orFirstOfAllTheOneThatIsMarked() {
        runner.withUserConfiguration(Pools.class, Marked.class)
                .withPropertyValues("distributed-lock.task-executor=another")
                .run(context -> assertThat(threadOfAFuture(context)).startsWith("marked-"));
    }

    @Test
    void withoutAnyABodyHasAThreadOfItsOwn() {
        withoutBoot.run(context -> assertThat(threadOfAFuture(context)).doesNotStartWith("task-"));
        // Spring Boot makes none beside an executor of the application.
        runner.withBean("other", Executor.class, () -> task -> {
                    throw new AssertionError("nobody chose this one");
                })
                .run(context -> assertThat(threadOfAFuture(context)).doesNotStartWith("task-"));
    }

    @Test
    void aNameThatNoBeanHasEndsTheStart() {
        runner.withPropertyValues("distributed-lock.task-executor=anotherr")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, wrong -> {
                            assertThat(wrong.getName()).isEqualTo("distributed-lock.task-executor");
                            assertThat(wrong.getReason()).contains("there is no bean of this name");
                        }));
    }

    /** A body that is dropped without a word would keep its lock for as long as it may be held. */
    @ParameterizedTest
    @ValueSource(classes = {ThreadPoolExecutor.DiscardPolicy.class, ThreadPoolExecutor.DiscardOldestPolicy.class})
    void anExecutorThatDropsTasksWithoutAWordEndsTheStart(Class<? extends RejectedExecutionHandler> policy) {
        RejectedExecutionHandler handler = BeanUtils.instantiateClass(policy);
        ThreadPoolTaskExecutor ofSpring = new ThreadPoolTaskExecutor();
        ofSpring.setRejectedExecutionHandler(handler);
        ofSpring.initialize();
        ThreadPoolExecutor ofTheJdk =
                new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(1), handler);
        for (Executor executor : List.of(ofSpring, ofTheJdk, new ConcurrentTaskExecutor(ofTheJdk))) {
            runner.withBean("own", Executor.class, () -> executor)
                    .withPropertyValues("distributed-lock.task-executor=own")
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasStackTraceContaining(policy.getSimpleName())
                            .hasStackTraceContaining("give it a RejectedExecutionHandler that throws"));
        }
        ofTheJdk.shutdown();
    }

    @Test
    void aBeanThatIsNoExecutorEndsTheStart() {
        runner.withUserConfiguration(Pools.class)
                .withPropertyValues("distributed-lock.task-executor=notAnExecutor")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(
                                InvalidConfigurationPropertyValueException.class,
                                wrong -> assertThat(wrong.getReason()).contains("java.lang.String")));
    }

    @Configuration(proxyBeanMethods = false)
    static class Decorated {

        @Bean
        TaskDecorator mdc() {
            return task -> {
                var caller = MDC.getCopyOfContextMap();
                return () -> {
                    MDC.setContextMap(caller);
                    try {
                        task.run();
                    } finally {
                        MDC.clear();
                    }
                };
            };
        }
    }

    private static void seesWhatTheCallerHas(AssertableApplicationContext context) throws Exception {
        Jobs jobs = context.getBean(Jobs.class);
        LockClient other = LockTestContext.another(context);
        CompletableFuture<String> future;
        CompletableFuture<String> mono;
        var held = other.acquire(other.request("job"));
        try {
            MDC.put("order", "42");
            future = jobs.future(() -> MDC.get("order"));
            mono = jobs.mono(() -> MDC.get("order")).toFuture();
        } finally {
            MDC.clear();
            held.close();
        }
        assertThat(future.get(30, TimeUnit.SECONDS)).isEqualTo("42");
        assertThat(mono.get(30, TimeUnit.SECONDS)).isEqualTo("42");
        assertThat(jobs.future(() -> String.valueOf(MDC.get("order"))).get(30, TimeUnit.SECONDS))
                .isEqualTo("null");
    }

    @Test
    void theBodySeesTheContextOfTheCallerThatATaskDecoratorPassesOn() {
        runner.withUserConfiguration(Decorated.class).run(TaskExecutorTests::seesWhatTheCallerHas);
        withoutBoot.withUserConfiguration(Decorated.class).run(TaskExecutorTests::seesWhatTheCallerHas);
    }

    @Test
    void orThatMicrometerPassesOnWhereSpringBootIsToldTo() {
        ContextRegistry registry = ContextRegistry.getInstance();
        registry.registerThreadLocalAccessor(
                "order", () -> MDC.get("order"), order -> MDC.put("order", order), () -> MDC.remove("order"));
        try {
            runner.withPropertyValues("spring.task.execution.propagate-context=true")
                    .run(TaskExecutorTests::seesWhatTheCallerHas);
        } finally {
            registry.removeThreadLocalAccessor("order");
        }
    }

    @Test
    void anExecutorThatIsShutDownRefusesTheBodyAndTheLockIsReleased() {
        runner.run(context -> {
            context.getBean(ThreadPoolTaskExecutor.class).shutdown();
            AtomicReference<String> ran = new AtomicReference<>();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> context.getBean(Jobs.class)
                            .future(() -> ran.getAndSet("yes"))
                            .get(30, TimeUnit.SECONDS))
                    .withCauseInstanceOf(TaskRejectedException.class);
            assertThat(ran).hasNullValue();
            LockClient client = context.getBean(LockClient.class);
            await().until(() -> client.held().findAny().isEmpty());
        });
    }

    @Test
    void aBodyUnderWayMayFinishWhileTheContextCloses() {
        CountDownLatch closes = new CountDownLatch(1);
        ApplicationListener<ContextClosedEvent> listener = event -> closes.countDown();
        ApplicationContextRunner observed = runner.withInitializer(context -> context.addApplicationListener(listener));
        observed.withPropertyValues("distributed-lock.shutdown-timeout=30s").run(context -> {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch leave = new CountDownLatch(1);
            CompletableFuture<String> result = context.getBean(Jobs.class).future(() -> {
                inside.countDown();
                try {
                    leave.await();
                    return "finished";
                } catch (InterruptedException interrupt) {
                    return "interrupted";
                }
            });
            assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
            var closing = Executors.newSingleThreadExecutor();
            try {
                var closed = closing.submit(
                        () -> context.getSourceApplicationContext().close());
                assertThat(closes.await(30, TimeUnit.SECONDS)).isTrue();
                assertThat(closed).isNotDone();
                leave.countDown();
                assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("finished");
                closed.get(30, TimeUnit.SECONDS);
            } finally {
                closing.shutdownNow();
            }
        });
    }
}
