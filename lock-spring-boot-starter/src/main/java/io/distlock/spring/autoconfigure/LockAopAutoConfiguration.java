package io.distlock.spring.autoconfigure;

import io.distlock.spi.Ticker;
import io.distlock.spring.execution.EnclosingScope;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.interceptor.LockAdvisor;
import io.distlock.spring.interceptor.LockOperationSource;
import io.distlock.spring.interceptor.LockedBeansValidator;
import io.distlock.spring.transaction.CommitGuard;
import io.distlock.spring.transaction.ReactiveCommitGuard;
import io.distlock.spring.transaction.ReactiveTransactionScope;
import io.distlock.spring.transaction.TransactionScope;
import io.distlock.support.LockRuntime;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.util.function.SingletonSupplier;
import reactor.core.publisher.Mono;

/**
 * Auto-configuration of {@link io.distlock.spring.DistributedLock}. The advisor and its dependencies are infrastructure,
 * made by static methods: an auto-proxy creator that is not AspectJ's accepts no other, and creating them early creates
 * no other bean.
 *
 * <p>Unconditional: an annotation that is ignored would run its method without a lock. Where there are no clients, an
 * annotated method fails the start.
 */
@AutoConfiguration(after = AopAutoConfiguration.class)
public final class LockAopAutoConfiguration {

    private static final String TRANSACTIONS = LockProperties.PREFIX + "transactions.";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static Executions lockExecutions(
            ObjectProvider<EnclosingScope.Resolver> scopes,
            ObjectProvider<EnclosingScope.ReactiveResolver> reactiveScopes,
            ObjectProvider<LockRuntime> runtime) {
        return new Executions(
                scopes.getIfUnique(() -> EnclosingScope.Resolver.NONE),
                Optional.ofNullable(reactiveScopes.getIfUnique()),
                SingletonSupplier.of(() -> ticker(Optional.ofNullable(runtime.getIfUnique()))));
    }

    /** The system's ticker where the lock clients were made without a runtime bean. */
    private static Ticker ticker(Optional<LockRuntime> runtime) {
        return runtime.map(LockRuntime::ticker).orElseGet(Ticker::system);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static LockOperationSource lockOperationSource(ConfigurableListableBeanFactory beans, Executions executions) {
        return new LockOperationSource(beans, executions);
    }

    /** Reads the order from the environment: the properties bean would have to be created too early. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static LockAdvisor lockAdvisor(
            LockOperationSource source, ConfigurableListableBeanFactory beans, Environment environment) {
        int order = Binder.get(environment)
                .bind(LockProperties.PREFIX + "advisor-order", Integer.class)
                .orElse(LockProperties.DEFAULT_ADVISOR_ORDER);
        return new LockAdvisor(source, beans, order);
    }

    @Bean
    @ConditionalOnMissingBean
    static LockedBeansValidator lockedBeansValidator(
            ConfigurableListableBeanFactory beans, LockOperationSource source) {
        return new LockedBeansValidator(beans, source);
    }

    /** Locks and transactions. Made before other beans, to be there when the first transaction manager is created. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConfigurableTransactionManager.class)
    static class TransactionConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        @ConditionalOnMissingBean
        @ConditionalOnProperty(name = TRANSACTIONS + "hold-until-completion", matchIfMissing = true)
        static EnclosingScope.Resolver lockTransactionScope() {
            return new TransactionScope();
        }

        /** Reads the property from the environment: the properties bean would have to be created too early. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        @ConditionalOnMissingBean
        static CommitGuard lockCommitGuard(Environment environment) {
            boolean asksStore = Binder.get(environment)
                    .bind(TRANSACTIONS + "ask-store-before-commit", Boolean.class)
                    .orElse(false);
            return new CommitGuard(asksStore);
        }
    }

    /** Locks and reactive transactions. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ConfigurableTransactionManager.class, ReactiveTransactionManager.class, Mono.class})
    static class ReactiveTransactionConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        @ConditionalOnMissingBean
        static ReactiveTransactionScope lockReactiveTransactionScope(CommitGuard guard, Environment environment) {
            boolean holds = Binder.get(environment)
                    .bind(TRANSACTIONS + "hold-until-completion", Boolean.class)
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
}
