package io.distlock.spring.autoconfigure;

import io.distlock.spring.LockClients;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.template.LockTemplate;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@link LockTemplate}. */
@AutoConfiguration(after = {LockAutoConfiguration.class, LockAopAutoConfiguration.class})
@ConditionalOnBean({LockClients.class, Executions.class})
public final class LockTemplateAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockTemplate lockTemplate(LockClients clients, Executions executions) {
        return new LockTemplate(clients, executions);
    }
}
