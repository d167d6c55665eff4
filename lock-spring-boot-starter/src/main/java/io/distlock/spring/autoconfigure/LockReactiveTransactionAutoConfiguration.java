package io.distlock.spring.autoconfigure;

import io.distlock.spring.transaction.CommitGuard;
import io.distlock.spring.transaction.ReactiveCommitGuard;
import io.distlock.spring.transaction.ReactiveTransactionScope;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ReactiveTransactionManager;
import reactor.core.publisher.Mono;

/** Auto-configuration of what locks and reactive transactions have to do with each other. */
@AutoConfiguration(after = LockTransactionAutoConfiguration.class, before = LockAopAutoConfiguration.class)
@ConditionalOnClass({ReactiveTransactionManager.class, Mono.class})
public final class LockReactiveTransactionAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static ReactiveTransactionScope lockReactiveTransactionScope(CommitGuard guard, Environment environment) {
        boolean holds = Binder.get(environment)
                .bind(LockTransactionAutoConfiguration.PREFIX + "hold-until-completion", Boolean.class)
                .orElse(true);
        return new ReactiveTransactionScope(guard, holds);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static ReactiveCommitGuard lockReactiveCommitGuard(ReactiveTransactionScope scope) {
        return new ReactiveCommitGuard(scope);
    }
}
