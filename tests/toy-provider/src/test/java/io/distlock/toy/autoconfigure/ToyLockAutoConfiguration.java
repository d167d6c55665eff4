package io.distlock.toy.autoconfigure;

import io.distlock.autoconfigure.ConditionalOnLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.toy.ToyLockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** All that the provider needs to be found. */
@AutoConfiguration(afterName = "io.distlock.spring.autoconfigure.LockAutoConfiguration")
@ConditionalOnBean(LockRuntime.class)
@ConditionalOnProperty(name = "toy.box", havingValue = "open", matchIfMissing = true)
@ConditionalOnLockProvider("toy")
public final class ToyLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ToyLockProvider toyLockProvider(LockRuntime runtime) {
        return new ToyLockProvider(runtime);
    }
}
