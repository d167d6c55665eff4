package io.distlock.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Spring calls some methods of a bean before it has a proxy, or on the bare object. */
class LifecycleMethodTests {

    private final ApplicationContextRunner runner = LockTestContext.manual();

    static class AfterConstruction {
        @PostConstruct
        @DistributedLock
        public void run() {}
    }

    static class BeforeDestruction {
        @PreDestroy
        @DistributedLock
        public void run() {}
    }

    static class Initializing implements InitializingBean {
        @Override
        @DistributedLock
        public void afterPropertiesSet() {}
    }

    static class Disposable implements DisposableBean {
        @Override
        @DistributedLock
        public void destroy() {}
    }

    static class Aware implements BeanNameAware {
        @Override
        @DistributedLock
        public void setBeanName(String name) {}
    }

    static class Closeable implements AutoCloseable {
        @Override
        @DistributedLock
        public void close() {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                AfterConstruction.class,
                BeforeDestruction.class,
                Initializing.class,
                Disposable.class,
                Aware.class,
                Closeable.class
            })
    void aMethodThatSpringCallsOnTheBareBeanCannotBeLocked(Class<?> bean) {
        runner.withBean(bean).run(context -> assertRefused(context.getStartupFailure()));
    }

    static class Named {
        @DistributedLock
        public void begin() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInitMethod {

        @Bean(initMethod = "begin")
        Named named() {
            return new Named();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithDestroyMethod {

        @Bean(destroyMethod = "begin")
        Named named() {
            return new Named();
        }
    }

    static class ClosedByName {
        @DistributedLock
        public void shutdown() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInferredMethod {

        @Bean
        ClosedByName closed() {
            return new ClosedByName();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {WithInitMethod.class, WithDestroyMethod.class, WithInferredMethod.class})
    void aMethodNamedInTheDefinitionCannotBeLocked(Class<?> configuration) {
        runner.withUserConfiguration(configuration).run(context -> assertRefused(context.getStartupFailure()));
    }

    private static void assertRefused(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        InvalidLockedMethodsException.class,
                        invalid -> assertThat(invalid.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.problem())
                                            .contains("Spring calls this method on the bean itself")
                                            .contains("without the lock");
                                    assertThat(problem.cure()).contains("ApplicationReadyEvent");
                                }));
    }

    // --- what is right ---

    @DistributedLock
    static class LockedType {

        @PostConstruct
        public void prepare() {}

        @PreDestroy
        public void tidy() {}

        public void run() {}
    }

    static class Books {

        @DistributedLock
        public void close() {}

        @DistributedLock
        public void close(long year) {}
    }

    static class ClosedByAnother {

        @DistributedLock
        public void shutdown() {}

        public void close() {}
    }

    static class Hidden {

        @DistributedLock
        void shutdown() {}
    }

    static class DestroyedOtherwise implements DisposableBean {

        @DistributedLock
        public void close() {}

        @Override
        public void destroy() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class NotInferred {

        @Bean
        ClosedByAnother another() {
            return new ClosedByAnother();
        }

        @Bean
        Hidden hidden() {
            return new Hidden();
        }

        @Bean
        DestroyedOtherwise otherwise() {
            return new DestroyedOtherwise();
        }
    }

    @Test
    void aMethodThatSpringDoesNotInferMayBeLocked() {
        runner.withUserConfiguration(NotInferred.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class AfterAll implements SmartInitializingSingleton {

        @Override
        @DistributedLock
        public void afterSingletonsInstantiated() {
            assertThat(LockContext.find()).isPresent();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NotClosed {

        @Bean(destroyMethod = "")
        ClosedByName closed() {
            return new ClosedByName();
        }
    }

    @Test
    void aLockOnTheTypeIsForItsOtherMethods() {
        runner.withBean(LockedType.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aMethodThatSpringDoesNotCallMayHaveSuchAName() {
        runner.withBean(Books.class).run(context -> assertThat(context).hasNotFailed());
        runner.withUserConfiguration(NotClosed.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void whatSpringCallsThroughTheProxyIsLocked() {
        runner.withBean(AfterAll.class).run(context -> assertThat(context).hasNotFailed());
    }
}
