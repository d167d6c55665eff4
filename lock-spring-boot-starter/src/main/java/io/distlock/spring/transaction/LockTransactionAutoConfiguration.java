package io.distlock.spring.transaction;

import io.distlock.spring.execution.EnclosingScope;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.util.function.SingletonSupplier;
import reactor.core.publisher.Mono;

/**
 * Auto-configuration of locks and transactions. Infrastructure, made by static methods before other beans, to exist
 * when the first transaction manager is created; in each context, for its own managers.
 */
@AutoConfiguration(before = LockAopAutoConfiguration.class)
@ConditionalOnClass(ConfigurableTransactionManager.class)
@EnableConfigurationProperties(LockTransactionProperties.class)
public final class LockTransactionAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static EnclosingScope.Resolver lockTransactionScope(CommitGuard guard, Environment environment) {
        return new TransactionScope(
                guard, LockTransactionProperties.in(environment).holdUntilCompletion());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static CommitGuard lockCommitGuard(Environment environment, ObjectProvider<TransactionFence> fences) {
        return new CommitGuard(
                LockTransactionProperties.in(environment).askStoreBeforeCommit(),
                SingletonSupplier.of(() -> fences.orderedStream().toList()));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnClass({ReactiveTransactionManager.class, Mono.class})
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static ReactiveTransactionScope lockReactiveTransactionScope(
            CommitGuard guard, Environment environment, ObjectProvider<TransactionFence.Reactive> fences) {
        return new ReactiveTransactionScope(
                guard,
                LockTransactionProperties.in(environment).holdUntilCompletion(),
                SingletonSupplier.of(() -> fences.orderedStream().toList()));
    }
}
