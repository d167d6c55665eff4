package io.distlock.spring.autoconfigure;

import io.distlock.spring.interceptor.LockOperationSource;
import io.distlock.spring.metrics.LockMetrics;
import io.distlock.spring.metrics.LockRuntimeMetrics;
import io.distlock.support.LockRuntime;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the locks' metrics. */
@AutoConfiguration(
        after = {LockRuntimeAutoConfiguration.class, LockAopAutoConfiguration.class},
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, LockRuntime.class, LockOperationSource.class})
@ConditionalOnProperty(name = "distributed-lock.metrics.enabled", matchIfMissing = true)
public final class LockMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockMetrics lockMetrics(MeterRegistry registry, LockOperationSource source, LockRuntime runtime) {
        return new LockMetrics(registry, source::declares, runtime.ticker());
    }

    @Bean
    @ConditionalOnMissingBean
    LockRuntimeMetrics lockRuntimeMetrics(LockRuntime runtime) {
        return new LockRuntimeMetrics(runtime);
    }
}
