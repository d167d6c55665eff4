package io.distlock.http;

import io.distlock.LockMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method may only be called for an HTTP request whose sender holds a lock. The request proves that with the header {@code
 * Lock-Sequencer}, which {@link LockSequencerInterceptor} and {@link LockSequencerFilter} add.
 *
 * <pre>{@code
 * @PutMapping("/orders/{id}")
 * @RequireLock(name = "orders", key = "#id")
 * public void update(@PathVariable String id, @RequestBody Order order) { ... }
 * }</pre>
 *
 * <p>Without the header the request is answered with 428; with 400 if the header is malformed or does not cover the lock;
 * with 412 if the lock was gone before this receiver first saw it, or a later holder's request has been seen; with 503 if that
 * cannot be checked. In all these cases the method is not called.
 *
 * <p>The lock is checked once, before the method runs. The method may still be running when a later holder's request arrives:
 * if that matters, let the resource itself compare tokens.
 *
 * <p>For methods of Spring beans that are called through their proxy. In Spring MVC the call must be on the thread of the
 * request. In WebFlux the method must return a publisher or suspend, and the publisher be a part of the request's own: each
 * subscription is checked, and then calls the method. Anywhere else the method throws {@link IllegalStateException} and does not
 * run.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface RequireLock {

    /** The lock's name. */
    String name();

    /** SpEL over the arguments for the item under that name, such as {@code #id} or {@code #p0}; empty for the name alone. */
    String key() default "";

    /** {@link LockMode#SHARED} accepts a lock in either mode. */
    LockMode mode() default LockMode.EXCLUSIVE;
}
