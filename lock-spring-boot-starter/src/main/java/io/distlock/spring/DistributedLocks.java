package io.distlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Holds several {@link DistributedLock} annotations of one method or type; the compiler writes it. All of them are
 * taken, one key at a time in the order of providers and keys whatever the order in the source, so that two methods
 * cannot each hold what the other waits for. Each wait time counts from the call, so that the whole waits no longer than
 * the most patient of them. A key that is named twice is taken once, exclusively if one of them says so.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DistributedLocks {

    /** The locks. */
    DistributedLock[] value();
}
