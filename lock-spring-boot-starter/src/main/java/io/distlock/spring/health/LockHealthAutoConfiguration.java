package io.distlock.spring.health;

import io.distlock.spi.LockProvider;
import io.distlock.spring.LockClients;
import io.distlock.support.LockRuntime;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of the health of the stores: a contributor for each provider. */
@AutoConfiguration(afterName = "io.distlock.spring.autoconfigure.LockAutoConfiguration")
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnBean({LockClients.class, LockRuntime.class})
@ConditionalOnEnabledHealthIndicator("distributed-lock")
final class LockHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"distributedLockHealthContributor", "distributedLockHealthIndicator"})
    CompositeHealthContributor distributedLockHealthContributor(
            ObjectProvider<LockProvider> providers, LockRuntime runtime, Environment environment) {
        Status degraded = new Status(Binder.get(environment)
                .bind("distributed-lock.health.degraded-status", String.class)
                .orElseGet(Status.UP::getCode));
        return CompositeHealthContributor.fromMap(
                providers.orderedStream().collect(Collectors.toMap(LockProvider::name, Function.identity())),
                provider -> new LockProviderHealthIndicator(provider, runtime.timeouts(), degraded));
    }
}
