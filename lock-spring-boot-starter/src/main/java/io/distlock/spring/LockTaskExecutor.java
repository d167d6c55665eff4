package io.distlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@link java.util.concurrent.Executor} bean that runs the bodies of locked methods that return a future or a
 * publisher. Without one, bodies run on the bean named by the property {@code distributed-lock.task-executor}, else on Spring
 * Boot's {@code applicationTaskExecutor}, else on one thread per body.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.PARAMETER, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface LockTaskExecutor {}
