package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.scheduling.annotation.EnableAsync;

/** The lock of an {@code @Async} method covers its body, on the thread where that runs. */
class AsyncMethodTests {

    private static final LockKey JOB = LockKey.of("job");

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Application {}

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

    private interface Work {

        void with(AssertableApplicationContext context, Jobs jobs) throws Exception;
    }

    private static void run(Work work) {
        LockTestContext.inMemory()
                .withUserConfiguration(Application.class)
                .withPropertyValues("distributed-lock.wait-time=10s")
                .withBean(Jobs.class)
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

    /** As a post-processor would that puts its advisor last. */
    @Configuration(proxyBeanMethods = false)
    static class AsyncInside {

        @Bean
        static BeanPostProcessor asyncLast() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (bean instanceof Jobs && bean instanceof Advised advised) {
                        advised.addAdvisor(new AsyncAnnotationAdvisor());
                    } else if (bean instanceof Jobs) {
                        ProxyFactory factory = new ProxyFactory(bean);
                        factory.setProxyTargetClass(true);
                        factory.addAdvisor(new AsyncAnnotationAdvisor());
                        return factory.getProxy();
                    }
                    return bean;
                }
            };
        }
    }

    @Test
    void handingOverInsideTheLockIsFoundAtStartUp() {
        LockTestContext.inMemory()
                .withUserConfiguration(AsyncInside.class)
                .withBean(Jobs.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidLockedMethodsException.class)
                        .hasMessageContaining("Jobs.run()")
                        .hasMessageContaining("handed to another thread inside the lock")
                        .satisfies(failure -> assertThat(((InvalidLockedMethodsException) failure).problems())
                                .hasSize(1)));
    }
}
