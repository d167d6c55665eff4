package io.distlock.spring;

import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.LockProvider;
import io.distlock.spring.aot.AheadOfTimeContext;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.spring.leader.LeaderAutoConfiguration;
import io.distlock.spring.transaction.LockTransactionAutoConfiguration;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** Real contexts, auto-configured as an application's; processed ahead of time, if the tests are run that way. */
public final class LockTestContext {

    private LockTestContext() {}

    /** No provider is chosen. */
    public static ApplicationContextRunner withoutProvider() {
        return runner().withConfiguration(AutoConfigurations.of(
                AopAutoConfiguration.class,
                PropertyPlaceholderAutoConfiguration.class,
                LockAutoConfiguration.class,
                LockTransactionAutoConfiguration.class,
                LeaderAutoConfiguration.class,
                LockAopAutoConfiguration.class));
    }

    private static ApplicationContextRunner runner() {
        return AheadOfTimeContext.isWanted()
                ? new ApplicationContextRunner(AheadOfTimeContext::new)
                : new ApplicationContextRunner();
    }

    /** Real time. */
    public static ApplicationContextRunner inMemory() {
        return withoutProvider().withPropertyValues("distributed-lock.provider=in-memory");
    }

    /** Time that stands still until it is moved, a store that can be made to fail, and no waiting for locks. */
    public static ApplicationContextRunner manual() {
        return withoutProvider()
                .withUserConfiguration(Manual.class)
                .withPropertyValues("distributed-lock.wait-time=0s", "distributed-lock.shutdown-timeout=0s");
    }

    /** Registers a bean that is not a plain singleton. */
    public static ApplicationContextInitializer<ConfigurableApplicationContext> bean(
            String name, Class<?> type, BeanDefinitionCustomizer customizer) {
        return context -> ((GenericApplicationContext) context).registerBean(name, type, customizer);
    }

    /** A client as another process would have it: on the same store, and sharing nothing else. */
    public static LockClient another(ApplicationContext context) {
        return LockClientBuilder.of(context.getBean(LockProvider.class), context.getBean(LockRuntime.class))
                .build();
    }

    @Configuration(proxyBeanMethods = false)
    static class Manual {

        @Bean
        ManualTicker ticker() {
            return new ManualTicker();
        }

        @Bean
        LockRuntime runtime(ManualTicker ticker) {
            return ManualScheduler.runtime(ticker);
        }

        @Bean
        FaultyLockProvider provider(LockRuntime runtime) {
            return new FaultyLockProvider(new InMemoryLockProvider(runtime));
        }
    }
}
