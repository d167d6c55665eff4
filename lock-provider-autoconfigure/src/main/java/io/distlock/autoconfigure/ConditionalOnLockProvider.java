package io.distlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * On the auto-configuration of a lock provider, which it names. Matches as {@code distributed-lock.<name>.enabled} says; if
 * that is not set, if {@code distributed-lock.provider} names it, or names none and the provider could work.
 *
 * <p>The module also describes the provider, in {@code META-INF/distlock-providers.properties}:
 *
 * <pre>{@code
 * # <name>.auto-configuration: the annotated class; <name>.needs: what an application sets, for messages at start-up
 * postgres.auto-configuration=com.acme.locks.PostgresLockAutoConfiguration
 * postgres.needs=spring.datasource.*
 * }</pre>
 *
 * By that description the starter finds it, says what it lacks and suggests its name, and tests with
 * {@code @InMemoryLocks} replace it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnLockProvider.class)
public @interface ConditionalOnLockProvider {

    /** The name of the provider, in lower case. */
    String value();

    /** The property without which the provider cannot work, so that its module alone does not choose it. */
    String needs() default "";
}
