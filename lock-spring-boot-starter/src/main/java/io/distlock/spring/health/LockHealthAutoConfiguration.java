package io.distlock.spring.health;

import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spring.LockClients;
import io.distlock.support.LockRuntime;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health of the stores: a contributor for each provider. */
@AutoConfiguration(afterName = "io.distlock.spring.autoconfigure.LockAutoConfiguration")
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnBean({LockClients.class, LockRuntime.class})
@ConditionalOnEnabledHealthIndicator("distributed-lock")
@EnableConfigurationProperties(LockHealthProperties.class)
final class LockHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"distributedLockHealthContributor", "distributedLockHealthIndicator"})
    CompositeHealthContributor distributedLockHealthContributor(
            ObjectProvider<LockProvider> providers, LockRuntime runtime, LockHealthProperties properties) {
        Status degraded = new Status(properties.degradedStatus());
        return CompositeHealthContributor.fromMap(
                providers.orderedStream().collect(Collectors.toMap(LockProvider::name, Function.identity())),
                provider -> new LockProviderHealthIndicator(provider, runtime.timeouts(), degraded));
    }

    /** The health of one provider's store. Takes no lock; lasts no longer than three store calls. Thread-safe. */
    record LockProviderHealthIndicator(LockProvider provider, Timeouts timeouts, Status degraded)
            implements HealthIndicator {

        private static final int CALLS = 3;

        @Override
        public Health health() {
            Duration limit = provider.callTimeout().multipliedBy(CALLS);
            try {
                return health(timeouts.within(limit, provider.check()).get());
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                return Health.unknown().withDetail("error", "interrupted").build();
            } catch (ExecutionException failure) {
                return Health.down()
                        .withDetail("error", String.valueOf(failure.getCause()))
                        .build();
            }
        }

        private Health health(ProviderStatus status) {
            Health.Builder health = switch (status.state()) {
                case UP -> Health.up();
                case DEGRADED -> Health.status(degraded).withDetail("degraded", true);
                case DOWN -> Health.down();
            };
            return health.withDetails(status.details()).build();
        }
    }
}
