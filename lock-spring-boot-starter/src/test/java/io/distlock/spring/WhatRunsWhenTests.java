package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.validation.constraints.NotNull;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.aopalliance.aop.Advice;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.validation.annotation.Validated;

/** The chain around one method with everything on it, as Spring builds it, printed, and as the documentation says. */
class WhatRunsWhenTests {

    /** What the advice of each is called in the documentation. */
    private static final Map<String, String> NAMES = Map.of(
            "AnnotationAsyncExecutionInterceptor", "async",
            "RetryAnnotationInterceptor", "retry",
            "LockInterceptor", "lock",
            "CacheInterceptor", "cache",
            "TransactionInterceptor", "transaction",
            "TransactionAdvice", "transaction",
            "MethodValidationInterceptor", "validation");

    private final ApplicationContextRunner runner = LockTestContext.inMemory()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    ValidationAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true")
            .withUserConfiguration(Application.class)
            .withBean(Everything.class);

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    @EnableAsync
    @EnableResilientMethods
    @EnableMethodSecurity
    static class Application {

        @Bean
        ConcurrentMapCacheManager caches() {
            return new ConcurrentMapCacheManager();
        }
    }

    @Validated
    static class Everything {

        @Transactional
        @Cacheable("values")
        @DistributedLock("everything")
        @PreAuthorize("permitAll")
        @Retryable
        @Async
        public void run(@NotNull String argument) {}
    }

    private static List<String> chain(Object bean) {
        return Arrays.stream(((Advised) bean).getAdvisors())
                .map(Advisor::getAdvice)
                .map(Advice::getClass)
                .flatMap(advice -> name(advice).stream())
                .distinct()
                .toList();
    }

    private static Optional<String> name(Class<?> advice) {
        return advice.getName().startsWith("org.springframework.security.")
                ? Optional.of("security")
                : Optional.ofNullable(NAMES.get(advice.getSimpleName()));
    }

    @Test
    void theChainIsTheOneThatTheDocumentationShows() {
        runner.run(context -> {
            List<String> chain = chain(context.getBean(Everything.class));
            System.out.println("Outermost first: " + String.join(" > ", chain));
            assertThat(chain).hasSize(7);
            assertThat(chain.indexOf("lock")).isLessThan(chain.indexOf("transaction"));
            Path page = Path.of("..", "docs", "what-runs-when.md");
            assertThat(Files.readString(page)).contains("    " + String.join(" > ", chain) + "\n");
        });
    }
}
