package io.distlock.spring.leader.actuator;

import io.distlock.spring.leader.LeaderElections;
import io.distlock.support.LockRuntime;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of health, metrics and endpoint of leader election, if there are roles. */
@AutoConfiguration(
        afterName = {
            "io.distlock.spring.leader.LeaderAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnBean(LeaderElections.class)
@Conditional(OnLeaderRoles.class)
final class LeaderActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
    @ConditionalOnEnabledHealthIndicator("leaders")
    static final class OfHealth {

        @Bean
        @ConditionalOnMissingBean(name = {"leadersHealthIndicator", "leadersHealthContributor"})
        LeadersHealthIndicator leadersHealthIndicator(LeaderElections elections) {
            return new LeadersHealthIndicator(elections);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    @ConditionalOnProperty(name = "distributed-lock.metrics.enabled", matchIfMissing = true)
    static final class OfMetrics {

        @Bean
        @ConditionalOnMissingBean
        LeaderMetrics leaderMetrics(MeterRegistry registry, LeaderElections elections, LockRuntime runtime) {
            return new LeaderMetrics(registry, elections, runtime.ticker());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    @ConditionalOnAvailableEndpoint(LeadersEndpoint.class)
    @RegisterReflectionForBinding({LeadersEndpoint.Roles.class, LeadersEndpoint.Resignation.class})
    static final class OfEndpoint {

        @Bean
        @ConditionalOnMissingBean
        LeadersEndpoint leadersEndpoint(LeaderElections elections) {
            return new LeadersEndpoint(elections);
        }
    }
}
