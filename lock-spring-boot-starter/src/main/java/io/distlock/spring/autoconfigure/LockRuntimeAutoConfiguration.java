package io.distlock.spring.autoconfigure;

import io.distlock.support.LockRuntime;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the clock and the scheduler that all locks share. Providers are made with it, so their
 * auto-configurations come after this one, and the context closes them before it.
 */
@AutoConfiguration
public final class LockRuntimeAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockRuntime lockRuntime() {
        return LockRuntime.start();
    }
}
