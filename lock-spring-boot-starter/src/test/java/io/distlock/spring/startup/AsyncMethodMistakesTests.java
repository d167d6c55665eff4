package io.distlock.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;

/** {@code @Async} methods that cannot be locked are found at start-up. */
class AsyncMethodMistakesTests {

    static class Jobs {

        @Async
        @DistributedLock("job")
        public void run() {}

        @Async
        @DistributedLock("job")
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("done");
        }
    }

    static class PoolJobs {

        @Async("pool")
        @DistributedLock("job")
        public Future<String> plain() {
            return CompletableFuture.completedFuture("done");
        }
    }

    /** Nothing calls the method on another thread, so nothing tells when its work is done. */
    @Test
    void aPlainFutureIsRefusedIfAsyncIsNotEnabled() {
        LockTestContext.inMemory()
                .withBean(PoolJobs.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidLockedMethodsException.class)
                        .hasMessageContaining("PoolJobs.plain()"));
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
                        .hasMessageContaining("the method runs on another thread")
                        .satisfies(failure -> assertThat(((InvalidLockedMethodsException) failure).problems())
                                .extracting(InvalidLockedMethodsException.Problem::method)
                                .anyMatch(method -> method.endsWith("run()"))
                                .anyMatch(method -> method.endsWith("later()"))));
    }
}
