package io.distlock.spring;

import io.distlock.spring.autoconfigure.InMemoryLockAutoConfiguration;
import io.distlock.spring.autoconfigure.LockAopAutoConfiguration;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.autoconfigure.LockRuntimeAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Real contexts as Spring Boot makes them, with the in-memory provider. */
public final class LockTestContext {

    private LockTestContext() {}

    /** With the starter's auto-configurations, and no provider chosen. */
    public static ApplicationContextRunner withoutProvider() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        PropertyPlaceholderAutoConfiguration.class,
                        LockRuntimeAutoConfiguration.class,
                        InMemoryLockAutoConfiguration.class,
                        LockAutoConfiguration.class,
                        LockAopAutoConfiguration.class));
    }

    public static ApplicationContextRunner inMemory() {
        return withoutProvider().withPropertyValues("distributed-lock.provider=in-memory");
    }
}
