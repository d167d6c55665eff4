package io.distlock.spring.autoconfigure;

import io.distlock.LockClient;
import io.distlock.LockListener;
import io.distlock.spi.LockProvider;
import io.distlock.spring.LockClientCustomizer;
import io.distlock.spring.LockClients;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.spring.template.LockTemplate;
import io.distlock.support.LockRuntime;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of a lock client for each provider in the context, and of {@link LockTemplate}. */
@AutoConfiguration(after = {LockRuntimeAutoConfiguration.class, LockAopAutoConfiguration.class})
@EnableConfigurationProperties(LockProperties.class)
public final class LockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockClients lockClients(
            LockRuntime runtime,
            LockProperties properties,
            ObjectProvider<LockProvider> providers,
            Environment environment,
            ObjectProvider<LockListener> listeners,
            ObjectProvider<LockClientCustomizer> customizers) {
        return new LockClientsFactory(
                        runtime,
                        properties,
                        environment,
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
    LockClientsLifecycle lockClientsLifecycle(
            LockClients clients, ObjectProvider<Executions> executions, ConfigurableApplicationContext context) {
        return new LockClientsLifecycle(clients, executions, context);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(Executions.class)
    LockTemplate lockTemplate(LockClients clients, Executions executions) {
        return new LockTemplate(clients, executions);
    }
}
