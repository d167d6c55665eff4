package io.distlock.spring.autoconfigure;

import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of locks inside this JVM: only for who asks for it, since it excludes no other process. */
@AutoConfiguration(after = LockRuntimeAutoConfiguration.class)
@ConditionalOnProperty(name = "distributed-lock.provider", havingValue = "in-memory")
public final class InMemoryLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(value = InMemoryLockProvider.class, name = "inMemoryLockProvider")
    InMemoryLockProvider inMemoryLockProvider(LockRuntime runtime) {
        return new InMemoryLockProvider(runtime);
    }
}
