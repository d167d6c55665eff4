package io.distlock.spring.metrics;

import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.support.LockRuntime;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of lock metrics. */
@AutoConfiguration(
        after = LockAopAutoConfiguration.class,
        afterName = {
            "io.distlock.spring.autoconfigure.LockAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, LockRuntime.class, MeterNameLimiter.class})
@ConditionalOnProperty(name = "distributed-lock.metrics.enabled", matchIfMissing = true)
final class LockMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockMetrics lockMetrics(MeterRegistry registry, MeterNameLimiter names, LockRuntime runtime) {
        return new LockMetrics(registry, names, runtime.ticker());
    }

    @Bean
    @ConditionalOnMissingBean
    LockMetrics.RuntimeMeters lockRuntimeMetrics(LockRuntime runtime) {
        return new LockMetrics.RuntimeMeters(runtime);
    }
}
