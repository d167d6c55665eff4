package io.distlock.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;

/** Beans that no proxy stands before although their methods are to be locked. */
class UnproxiedBeanTests {

    private final ApplicationContextRunner runner = LockTestContext.manual();

    static class Orders {

        @DistributedLock
        public void ship() {}
    }

    private static Consumer<AssertableApplicationContext> failsFor(String bean) {
        return context -> assertThat(context)
                .getFailure()
                .isInstanceOf(InvalidLockedMethodsException.class)
                .hasMessageContaining("Orders.ship()")
                .hasMessageContaining("'" + bean + "' has no proxy that acquires the lock")
                .hasMessageContaining("ObjectProvider");
    }

    // --- made too early ---

    /** Comes before the auto-proxy creator, and so does what it needs. */
    static class Eager implements BeanPostProcessor, PriorityOrdered {

        @Override
        public int getOrder() {
            return 0;
        }
    }

    @Test
    void aBeanThatAPostProcessorNeedsFailsTheStart() {
        runner.withBean("orders", Orders.class)
                .withUserConfiguration(NeededByPostProcessor.class)
                .run(failsFor("orders")::accept);
    }

    @Configuration(proxyBeanMethods = false)
    static class NeededByPostProcessor {

        @Bean
        static Eager eager(Orders dependency) {
            return new Eager();
        }
    }

    @Test
    void aBeanThatAFactoryPostProcessorNeedsFailsTheStart() {
        runner.withBean("orders", Orders.class)
                .withUserConfiguration(NeededByFactoryPostProcessor.class)
                .run(failsFor("orders")::accept);
    }

    @Configuration(proxyBeanMethods = false)
    static class NeededByFactoryPostProcessor {

        @Bean
        static BeanFactoryPostProcessor eager(Orders dependency) {
            return beans -> {};
        }
    }

    @Test
    void theCureThatTheMessageNamesIsOne() {
        runner.withBean("orders", Orders.class)
                .withUserConfiguration(NeededLater.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    static class NeededLater {

        @Bean
        static Eager eager(ObjectProvider<Orders> dependency) {
            return new Eager();
        }
    }

    // --- given to the context ready made ---

    private static ApplicationContextRunner given(ApplicationContextRunner runner, Object instance) {
        return runner.withInitializer(context -> context.getBeanFactory().registerSingleton("given", instance));
    }

    @Test
    void anObjectThatIsRegisteredAsItIsFailsTheStart() {
        given(runner, new Orders()).run(failsFor("given")::accept);
    }

    @Test
    void aProxyThatHidesItsAdvisorsIsTakenAtItsWord() {
        ProxyFactory opaque = new ProxyFactory(new Orders());
        opaque.setProxyTargetClass(true);
        opaque.setOpaque(true);
        given(runner, opaque.getProxy()).run(context -> assertThat(context).hasNotFailed());
    }
}
