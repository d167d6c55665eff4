package io.distlock.spring.observation;

import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of observations, if there is a tracer or a property enables them. Metrics do not need them, and
 * an observation costs more than a timer.
 */
@AutoConfiguration(
        after = LockAopAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration"
        })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ObservationRegistry.class, MeterNameLimiter.class})
@Conditional(LockObservationAutoConfiguration.OnObservedLocks.class)
final class LockObservationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockObservations lockObservations(
            ObservationRegistry registry,
            ObjectProvider<LockObservationConvention> convention,
            MeterNameLimiter names) {
        return new LockObservations(registry, convention.getIfAvailable(), names);
    }

    /** Their own meters show locks better: from the observations, each figure would be there twice, under names in use. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterObservationHandler.class)
    @ConditionalOnProperty(name = "distributed-lock.metrics.enabled", matchIfMissing = true)
    static final class NoMeters {

        /** Does nothing, but comes before the handler that would make the meters: only the first that fits is used. */
        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        MeterObservationHandler<LockObservationContext> lockMeterObservationHandler() {
            return new MeterObservationHandler<>() {
                @Override
                public boolean supportsContext(Observation.Context context) {
                    return context instanceof LockObservationContext;
                }
            };
        }
    }

    /** Whether a property asks for observations or, if it is not set, there is a tracer. Evaluated after the cheaper ones. */
    @Order
    static final class OnObservedLocks extends AnyNestedCondition {

        private static final String ENABLED = "distributed-lock.observations.enabled";

        OnObservedLocks() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty(ENABLED)
        static final class Asked {}

        @ConditionalOnProperty(name = ENABLED, matchIfMissing = true)
        @ConditionalOnBean(type = "io.micrometer.tracing.Tracer")
        static final class Traced {}
    }
}
