package io.distlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Contains several {@link DistributedLock} annotations on one method or type; the compiler adds it. All locks are
 * taken, one key at a time, in the order of providers and keys. Their order in code does not matter, so no two methods
 * each hold what the other waits for. Each wait time counts from the call, so the call waits no longer than the
 * longest of them. A key named twice is taken once, and exclusively if one of the annotations says so.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DistributedLocks {

    /** The locks. */
    DistributedLock[] value();
}
