package io.distlock.spring.autoconfigure;

import io.distlock.spring.event.LockEventPublisher;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the events that tell an application what happens to its locks. */
@AutoConfiguration(before = LockAutoConfiguration.class)
public final class LockEventsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockEventPublisher lockEventPublisher(ApplicationContext context) {
        return new LockEventPublisher(context);
    }
}
