package io.distlock.spring.autoconfigure;

import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of the clock and the scheduler that all locks share, and of locks inside this JVM. Providers are
 * built on the runtime, so their auto-configurations come after this one, and the context closes them before it.
 */
@AutoConfiguration
public final class LockRuntimeAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockRuntime lockRuntime() {
        return LockRuntime.start();
    }

    /** Locks inside this JVM: only on request, since they exclude no other process. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "distributed-lock.provider", havingValue = "in-memory")
    static class InMemoryConfiguration {

        @Bean
        @ConditionalOnMissingBean(value = InMemoryLockProvider.class, name = "inMemoryLockProvider")
        InMemoryLockProvider inMemoryLockProvider(LockRuntime runtime) {
            return new InMemoryLockProvider(runtime);
        }
    }
}
