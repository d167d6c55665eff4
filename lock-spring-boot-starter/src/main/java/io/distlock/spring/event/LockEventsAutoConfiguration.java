package io.distlock.spring.event;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of lock events. */
@AutoConfiguration(beforeName = "io.distlock.spring.autoconfigure.LockAutoConfiguration")
final class LockEventsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockEventPublisher lockEventPublisher(ApplicationContext context) {
        return new LockEventPublisher(context);
    }
}
