package io.distlock.spring.autoconfigure;

import io.distlock.LockClient;
import io.distlock.LockListener;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.LockProvider;
import io.distlock.spring.LockClientCustomizer;
import io.distlock.spring.LockClients;
import io.distlock.spring.client.LockEventPublisher;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.spring.template.LockTemplate;
import io.distlock.support.LockRuntime;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of a lock client for each provider in the context, of what observes the clients, of {@link LockTemplate},
 * and of the clock and the scheduler that all locks share. Providers are built on that runtime, so their auto-configurations
 * come after this one, and the context closes them before it.
 */
@AutoConfiguration(after = LockAopAutoConfiguration.class)
@EnableConfigurationProperties(LockProperties.class)
public final class LockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockRuntime lockRuntime() {
        return LockRuntime.start();
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "distributed-lock.events.enabled", matchIfMissing = true)
    LockEventPublisher lockEventPublisher(ConfigurableApplicationContext context) {
        return new LockEventPublisher(context);
    }

    @Bean
    @ConditionalOnMissingBean
    LockClients lockClients(
            LockRuntime runtime,
            LockProperties properties,
            ObjectProvider<LockProvider> providers,
            Environment environment,
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockListener> listeners,
            ObjectProvider<LockClientCustomizer> customizers) {
        return new LockClientsFactory(
                        runtime,
                        properties,
                        environment,
                        beans,
                        listeners.orderedStream().toList(),
                        customizers.orderedStream().toList())
                .create(providers.orderedStream().toList());
    }

    /** The clients close it. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    LockClient lockClient(LockClients clients) {
        return clients.primary();
    }

    @Bean
    @ConditionalOnMissingBean(name = "lockClientsLifecycle")
    LockClientsLifecycle lockClientsLifecycle(LockClients clients, ConfigurableApplicationContext context) {
        return new LockClientsLifecycle(clients, context);
    }

    /** In each context, on its own executions; gives way to a parent's as well. */
    @Bean
    @Fallback
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    @ConditionalOnBean(Executions.class)
    LockTemplate lockTemplate(LockClients clients, Executions executions) {
        return new LockTemplate(clients, executions);
    }

    @Bean
    static ConfigurationPropertiesBindHandlerAdvisor lockTimesWithUnits() {
        return UnitsRequired::new;
    }

    @Bean
    static FenceModules lockFenceModules(ConfigurableApplicationContext context) {
        return new FenceModules(context.getEnvironment(), context.getClassLoader());
    }

    /** Locks inside this JVM: only on request, since they exclude no other process. */
    @Bean
    @ConditionalOnProperty(name = "distributed-lock.provider", havingValue = "in-memory")
    @ConditionalOnMissingBean(value = InMemoryLockProvider.class, name = "inMemoryLockProvider")
    InMemoryLockProvider inMemoryLockProvider(LockRuntime runtime) {
        return new InMemoryLockProvider(runtime);
    }
}
