package io.distlock.spring.transaction;

import io.distlock.spring.execution.EnclosingScope;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.bind.Binder;
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
public final class LockTransactionAutoConfiguration {

    private static final String PROPERTIES = "distributed-lock.transactions.";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static EnclosingScope.Resolver lockTransactionScope(CommitGuard guard, Environment environment) {
        return new TransactionScope(guard, property(environment, "hold-until-completion", true));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static CommitGuard lockCommitGuard(Environment environment, ObjectProvider<TransactionFence> fences) {
        return new CommitGuard(
                property(environment, "ask-store-before-commit", false),
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
                property(environment, "hold-until-completion", true),
                SingletonSupplier.of(() -> fences.orderedStream().toList()));
    }

    /** From the environment: the properties bean would have to be created too early. */
    private static boolean property(Environment environment, String name, boolean otherwise) {
        return Binder.get(environment).bind(PROPERTIES + name, Boolean.class).orElse(otherwise);
    }
}
