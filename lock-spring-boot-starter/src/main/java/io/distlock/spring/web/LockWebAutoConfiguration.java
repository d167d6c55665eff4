package io.distlock.spring.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.ControllerAdvice;

/** Auto-configuration of {@link LockExceptionAdvice}, if a property enables it. */
@AutoConfiguration
@ConditionalOnClass(ControllerAdvice.class)
@ConditionalOnProperty("distributed-lock.web.problem-details")
final class LockWebAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockExceptionAdvice lockExceptionAdvice() {
        return new LockExceptionAdvice();
    }
}
