package io.distlock.spring.autoconfigure;

import io.distlock.spring.execution.OuterScopes;
import io.distlock.spring.transaction.CommitGuard;
import io.distlock.spring.transaction.TransactionScope;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Auto-configuration of what locks and transactions have to do with each other. Infrastructure, made by static methods
 * and before other beans, since it has to be there when the first transaction manager is made.
 */
@AutoConfiguration(before = LockAopAutoConfiguration.class)
@ConditionalOnClass(ConfigurableTransactionManager.class)
public final class LockTransactionAutoConfiguration {

    static final String PREFIX = LockProperties.PREFIX + "transactions.";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = PREFIX + "hold-until-completion", matchIfMissing = true)
    static OuterScopes lockTransactionScope() {
        return new TransactionScope();
    }

    /** The property is read from the environment: the properties bean would have to be made before its time. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static CommitGuard lockCommitGuard(Environment environment) {
        boolean asksStore = Binder.get(environment)
                .bind(PREFIX + "ask-store-before-commit", Boolean.class)
                .orElse(false);
        return new CommitGuard(asksStore);
    }
}
