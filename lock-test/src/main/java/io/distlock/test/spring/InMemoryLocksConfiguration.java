package io.distlock.test.spring;

import io.distlock.LockClient;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.application.LockTester;
import io.distlock.test.provider.FaultyLockProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A provider that a test controls. Its bean name makes it replace the starter's. */
@Configuration(proxyBeanMethods = false)
class InMemoryLocksConfiguration {

    @Bean
    FaultyLockProvider inMemoryLockProvider(LockRuntime runtime) {
        return new FaultyLockProvider(new InMemoryLockProvider(runtime));
    }

    @Bean
    LockTester lockTester(LockClient client, FaultyLockProvider inMemoryLockProvider, LockRuntime runtime) {
        return new LockTester(client, inMemoryLockProvider, runtime);
    }
}
