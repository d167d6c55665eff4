package io.distlock.spring.interceptor;

import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockTaskExecutor;
import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.spring.execution.EnclosingScope;
import io.distlock.spring.execution.Executions;
import io.distlock.support.LockRuntime;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of {@link io.distlock.spring.DistributedLock}. The advisor and its dependencies are
 * infrastructure, made by static methods: an auto-proxy creator that is not AspectJ's accepts no other, and creating
 * them early creates no other bean.
 *
 * <p>Unconditional: an ignored annotation would run its method without a lock. Without clients, an
 * annotated method fails start-up. What looks at the beans of a context exists in each context; a child shares only the rest.
 */
@AutoConfiguration(after = AopAutoConfiguration.class)
@EnableConfigurationProperties(LockAdviceProperties.class)
public final class LockAopAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static Executions lockExecutions(
            ObjectProvider<EnclosingScope.Resolver> scopes,
            ObjectProvider<EnclosingScope.ReactiveResolver> reactiveScopes,
            ObjectProvider<LockRuntime> runtime,
            @LockTaskExecutor ObjectProvider<Executor> marked,
            ObjectProvider<TaskDecorator> decorators,
            BeanFactory beans,
            Environment environment) {
        return new Executions(
                scopes.getIfUnique(() -> EnclosingScope.Resolver.NONE),
                Optional.ofNullable(reactiveScopes.getIfUnique()),
                // The system ticker if the lock clients were made without a runtime bean.
                SingletonSupplier.of(() -> Optional.ofNullable(runtime.getIfUnique())
                        .map(LockRuntime::ticker)
                        .orElseGet(Ticker::system)),
                () -> Optional.ofNullable(marked.getIfAvailable()).orElseGet(() -> bodyExecutor(beans, environment)),
                () -> decorators.orderedStream().toList());
    }

    /** Unless one is marked: see {@link LockTaskExecutor}. */
    private static Executor bodyExecutor(BeanFactory beans, Environment environment) {
        String named = LockAdviceProperties.in(environment).taskExecutor();
        if (named != null && !named.isEmpty()) {
            Class<?> type = beans.containsBean(named) ? beans.getType(named) : null;
            if (type == null || !Executor.class.isAssignableFrom(type)) {
                String found = type == null ? "there is no bean of this name" : "this bean is a " + type.getName();
                throw new InvalidConfigurationPropertyValueException(
                        LockAdviceProperties.PREFIX + ".task-executor",
                        named,
                        found + ": give the name of an Executor bean");
            }
            return beans.getBean(named, Executor.class);
        }
        String ofBoot = "applicationTaskExecutor";
        if (beans.containsBean(ofBoot) && beans.isTypeMatch(ofBoot, Executor.class)) {
            return beans.getBean(ofBoot, Executor.class);
        }
        return Threading.VIRTUAL.isActive(environment)
                ? new VirtualThreadTaskExecutor("distlock-body-")
                : LockClientBuilder.defaultCallbackExecutor();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static LockOperationSource lockOperationSource(ConfigurableListableBeanFactory beans, Executions executions) {
        return new LockOperationSource(beans, executions);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static LockAdvisor lockAdvisor(
            LockOperationSource source, ConfigurableListableBeanFactory beans, Environment environment) {
        return new LockAdvisor(
                source, beans, LockAdviceProperties.in(environment).advisorOrder());
    }

    /** Shared by metrics and traces, which use the same names, and by child contexts. */
    @Bean
    @ConditionalOnMissingBean
    static MeterNameLimiter lockMeterNameLimiter() {
        return new MeterNameLimiter();
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static LockedBeansValidator lockedBeansValidator(
            ConfigurableListableBeanFactory beans, LockOperationSource source, Executions executions) {
        return new LockedBeansValidator(beans, source, executions);
    }
}
