package io.distlock.spring.endpoint;

import io.distlock.spring.LockClients;
import io.distlock.spring.endpoint.LocksReport.RecentLosses;
import io.distlock.support.LockRuntime;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the actuator endpoint {@code locks}. */
@AutoConfiguration(afterName = "io.distlock.spring.autoconfigure.LockAutoConfiguration")
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean({LockClients.class, LockRuntime.class})
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@EnableConfigurationProperties(LocksEndpoint.Properties.class)
@RegisterReflectionForBinding({
    LocksDescriptor.class,
    LocksDescriptor.Inspection.class,
    LocksDescriptor.ForcedRelease.class,
    LocksEndpoint.Problem.class
})
final class LocksEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RecentLosses recentLockLosses(LockRuntime runtime) {
        return new RecentLosses(runtime.ticker());
    }

    @Bean
    @ConditionalOnMissingBean
    LocksEndpoint locksEndpoint(
            LockClients clients,
            RecentLosses losses,
            ApplicationEventPublisher publisher,
            LocksEndpoint.Properties properties,
            ObjectProvider<SanitizingFunction> sanitizing) {
        return new LocksEndpoint(
                clients,
                losses,
                publisher,
                properties,
                sanitizing.orderedStream().toList());
    }
}
