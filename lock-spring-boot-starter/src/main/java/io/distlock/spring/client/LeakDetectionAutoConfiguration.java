package io.distlock.spring.client;

import io.distlock.support.LockRuntime;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of {@link LeakDetector}, which does nothing unless a property sets its threshold. */
@AutoConfiguration(afterName = "io.distlock.spring.autoconfigure.LockAutoConfiguration")
@ConditionalOnBean(LockRuntime.class)
final class LeakDetectionAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LeakDetector lockLeakDetector(Environment environment, LockRuntime runtime) {
        Duration threshold = Binder.get(environment)
                .bind("distributed-lock.leak-threshold", Duration.class)
                .orElse(Duration.ZERO);
        return new LeakDetector(threshold, runtime);
    }
}
