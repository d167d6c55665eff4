package io.distlock.spring.leader;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.OnLost;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs the method only on the instance that leads the role, and under the lock of its term.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 2 * * *")
 * @LeaderOnly("night-report")
 * public void report() { … }
 * }</pre>
 *
 * <p>Roles are declared with {@code distributed-lock.leader.roles.<role>.*}. A call asks no store. Inside, everything is as in a
 * {@link DistributedLock} method: {@link io.distlock.spring.LockContext} has the lock with the token of the term, a transaction
 * cannot commit once that lock is lost, and fences see the token. An instance that resigns or stops lets running calls finish,
 * within the role's revoke timeout, before another instance can be elected. What that annotation says about proxies, futures,
 * publishers and refused return types holds here as well.
 *
 * <p>With a {@code DistributedLock} on the same method, a call needs both: the term is entered first or last by the order of
 * the names of the locks.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

    /** Alias for {@link #role()}. */
    @AliasFor("role")
    String value() default "";

    /** The role; {@code ${…}} is resolved. */
    @AliasFor("value")
    String role() default "";

    /** What a call does on an instance that does not lead. */
    Otherwise otherwise() default Otherwise.SKIP;

    /** What happens to a running body when the lock of the term is lost. */
    OnLost onLost() default OnLost.LEAVE_RUNNING;

    /** Whether resources refuse transactions of an outdated term. Transactions of one role then follow each other. */
    DistributedLock.Fencing fencing() default DistributedLock.Fencing.DEFAULT;

    /** What a call does on an instance that does not lead. */
    enum Otherwise {

        /** It returns an empty value: null, an empty {@code Optional}, an empty publisher. Not for primitive types. */
        SKIP,

        /** It throws a {@link NotLeaderException}. */
        THROW
    }
}
