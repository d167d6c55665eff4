package io.distlock.spring.autoconfigure;

import io.distlock.spi.LockProvider;
import io.distlock.spring.LockClients;
import io.distlock.spring.health.LockProviderHealthIndicator;
import io.distlock.support.LockRuntime;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health of the stores: a contributor for each provider. */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnBean({LockClients.class, LockRuntime.class})
@ConditionalOnEnabledHealthIndicator("distributed-lock")
public final class LockHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"distributedLockHealthContributor", "distributedLockHealthIndicator"})
    CompositeHealthContributor distributedLockHealthContributor(
            ObjectProvider<LockProvider> providers, LockRuntime runtime, LockProperties properties) {
        Status degraded = new Status(properties.health().degradedStatus());
        return CompositeHealthContributor.fromMap(
                providers.orderedStream().collect(Collectors.toMap(LockProvider::name, Function.identity())),
                provider -> new LockProviderHealthIndicator(provider, runtime.timeouts(), degraded));
    }
}
