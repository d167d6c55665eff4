package io.distlock.spring.autoconfigure;

import io.distlock.spi.Ticker;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.execution.OuterScopes;
import io.distlock.spring.execution.ReactiveOuterScopes;
import io.distlock.spring.interceptor.LockAdvisor;
import io.distlock.spring.interceptor.LockInterceptor;
import io.distlock.spring.interceptor.LockOperations;
import io.distlock.spring.interceptor.LockedBeansCheck;
import io.distlock.spring.interceptor.Proxying;
import io.distlock.support.LockRuntime;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of {@link io.distlock.spring.DistributedLock}. The advisor and what it needs are infrastructure,
 * made by static methods: an auto-proxy creator that is not AspectJ's takes no other, and making them early drags no
 * other bean along.
 *
 * <p>Unconditional: an annotation that nobody obeys would run its method without a lock. Where there are no clients,
 * an annotated method fails the start.
 */
@AutoConfiguration(after = {AopAutoConfiguration.class, LockAutoConfiguration.class})
public final class LockAopAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static Executions lockExecutions(
            ObjectProvider<OuterScopes> scopes,
            ObjectProvider<ReactiveOuterScopes> reactiveScopes,
            ObjectProvider<LockRuntime> runtime) {
        return new Executions(
                scopes.getIfUnique(() -> OuterScopes.NONE),
                Optional.ofNullable(reactiveScopes.getIfUnique()),
                SingletonSupplier.of(() -> ticker(Optional.ofNullable(runtime.getIfUnique()))));
    }

    /** The machine's own where lock clients were made without a runtime that is a bean. */
    private static Ticker ticker(Optional<LockRuntime> runtime) {
        return runtime.map(LockRuntime::ticker).orElseGet(Ticker::system);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static LockOperations lockOperations(ConfigurableListableBeanFactory beans, Executions executions) {
        return new LockOperations(beans, executions);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static LockInterceptor lockInterceptor(LockOperations operations) {
        return new LockInterceptor(operations);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static Proxying lockProxying(ConfigurableListableBeanFactory beans) {
        return new Proxying(beans);
    }

    /** The order is read from the environment: the properties bean would have to be made before its time. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static LockAdvisor lockAdvisor(
            LockOperations operations, LockInterceptor interceptor, Proxying proxying, Environment environment) {
        int order = Binder.get(environment)
                .bind(LockProperties.PREFIX + "advisor-order", Integer.class)
                .orElse(LockProperties.DEFAULT_ADVISOR_ORDER);
        return new LockAdvisor(operations, interceptor, proxying, order);
    }

    @Bean
    @ConditionalOnMissingBean
    static LockedBeansCheck lockedBeansCheck(
            ConfigurableListableBeanFactory beans, LockOperations operations, Proxying proxying) {
        return new LockedBeansCheck(beans, operations, proxying);
    }
}
