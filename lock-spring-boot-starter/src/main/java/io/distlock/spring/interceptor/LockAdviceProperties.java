package io.distlock.spring.interceptor;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * The advice on locked methods. Its default order is inside Spring Security's method security (100 to 600), so that a caller
 * without permission takes no lock, and outside transactions and caching, which are innermost by default. Some
 * post-processors ignore the order: those of {@code @Async}, {@code @Retryable} and {@code @ConcurrencyLimit} put their advice
 * outside all others (each retry acquires the lock again), that of method validation inside all others.
 *
 * @param advisorOrder Order of the lock among the advisors of a method; lower is further out. Must be lower than that
 *     of transactions; method security uses 100 to 600.
 * @param taskExecutor Name of the Executor bean that runs the bodies of locked methods that return a future or a
 *     publisher. By default a bean marked with @LockTaskExecutor, else Spring Boot's applicationTaskExecutor, else
 *     one thread per body.
 */
@ConfigurationProperties(LockAdviceProperties.PREFIX)
record LockAdviceProperties(
        @DefaultValue("1000") int advisorOrder, @Nullable String taskExecutor) {

    static final String PREFIX = "distributed-lock";

    /** For infrastructure that is made before the bean of these properties could be. */
    static LockAdviceProperties in(Environment environment) {
        return Binder.get(environment).bindOrCreate(PREFIX, Bindable.of(LockAdviceProperties.class));
    }
}
