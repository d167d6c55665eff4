package io.distlock.spring;

import io.distlock.LockMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs the method under a distributed lock. The lock is taken before the call, renewed while the method runs, and released
 * when it returns or throws. Unless a {@link #condition()} says so, the method never runs without the lock.
 *
 * <pre>{@code
 * @DistributedLock(name = "orders", key = "#orderId")
 * public void ship(long orderId) { … }
 * }</pre>
 *
 * <p>On a type, each method of its beans that a proxy can intercept is locked separately, except those that Spring
 * calls to begin and end a bean. Also works as a meta-annotation, with its attributes set through {@link AliasFor}, and on
 * the methods of interfaces and base classes. An annotation on the method overrides those on the type.
 *
 * <p>Repeatable, even through meta-annotations: all the locks are taken, in the order described in
 * {@link DistributedLocks}; each {@link #waitTime()} counts from the call.
 *
 * <p>The lock surrounds a transaction begun by {@code @Transactional} on the same method: it is released
 * after the commit. If the method is called within a transaction, the lock is released once that transaction has completed;
 * the property {@code distributed-lock.transactions.hold-until-completion} turns that off. A transaction whose lock has been lost
 * by the time it commits is rolled back with a {@link io.distlock.LockLostException}. The lock is inside Spring
 * Security's method security: a denied call takes no lock. As with every Spring proxy, a call from
 * within the same object bypasses the proxy and takes no lock.
 *
 * <p>A call on the same thread from a method that already holds the key runs under that lock. It does not call the store,
 * releases nothing, and ignores its own times. {@link LockContext} returns the locks that the running method holds.
 *
 * <p>The method's own exceptions pass through as is. The caller may also see:
 *
 * <ul>
 *   <li>{@link io.distlock.LockNotAcquiredException}: others held the lock throughout; see
 *       {@link #onNotAcquired()}. The method did not run.
 *   <li>{@link io.distlock.LockUnavailableException}: the store did not answer. The method did not run.
 *   <li>{@link io.distlock.LockInterruptedException}: the thread was interrupted while waiting; its flag stays set. The
 *       method did not run.
 *   <li>{@link io.distlock.LockLostException}: the method ran to its end, but the lock was lost in the meantime; or
 *       it was lost before the method could begin. If the method itself failed, its exception carries this as
 *       suppressed.
 *   <li>{@link IllegalArgumentException}: the {@link #key()} could not be evaluated or has no lockable value; the cause
 *       is what the expression threw. The method did not run.
 * </ul>
 *
 * <p>Times are written with a unit, as {@code 500ms}, {@code 2s} or {@code PT2S}, or as {@code ${some.property}}; empty
 * means the property {@code distributed-lock.*} of the same name. All attributes are checked when the application starts.
 *
 * <p>The lock covers the method's work, not just its call:
 *
 * <ul>
 *   <li>Most methods are done when they return. So are {@code @Async} methods, which run on their own thread. One that
 *       returns a future is done when that completes.
 *   <li>A method that returns a {@code CompletableFuture} or {@code CompletionStage} is done when that completes. The
 *       caller is not blocked and gets a future at once. The method is called when the lock is granted, on the
 *       application's executor: see {@link LockTaskExecutor}. Cancelling the future ends the wait, or cancels the
 *       method's own future.
 *   <li>A method that returns a {@code Mono}, a {@code Flux} or any other reactive type that Spring can adapt is called
 *       for each subscription, under a lock of its own, on the same executor (with {@code @Transactional}, on the
 *       thread on which its transaction has begun); it is done at completion, error or cancellation. Inside it,
 *       {@link ReactiveLockContext} has the lock, and a locked publisher that is subscribed to runs under it.
 * </ul>
 *
 * <p>A Kotlin suspending function is locked as the {@code Mono} or {@code Flux} that Spring turns it into: no thread is
 * blocked, and the lock is released when the function returns, fails or is cancelled.
 *
 * <p>If other code does the work after the return, the return type is rejected at start-up: a plain {@code Future}
 * without {@code @Async}, a {@code Stream}, a {@code Callable}, the asynchronous and streamed results of Spring MVC.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

    /** Alias for {@link #name()}. */
    @AliasFor("name")
    String value() default "";

    /**
     * The lock's name: a label from a bounded set, used as a metrics tag. It is not an expression; {@code ${…}} is resolved. By
     * default, the simple name of the declaring class plus the method name: {@code OrderService.ship}. Set it if
     * other programs take the same lock, or if the class may be renamed.
     */
    @AliasFor("value")
    String name() default "";

    /**
     * The item under the name, as a SpEL expression. It can use arguments as {@code #orderId}, {@code #p0} or {@code #a0}, by
     * the names of the method that has the annotation or of the one that runs; {@code #root.method}, {@code #root.target},
     * {@code #root.args}; and beans as {@code @bean}. Its value is a string, number, boolean, character, enum, UUID or
     * {@code java.time} value; or a collection or an array of them, all of which are locked, or none. The text counts, not
     * the type: {@code 42} and {@code "42"} are one item. If empty, the name alone is locked.
     */
    String key() default "";

    /** Whether others may hold the lock at the same time. */
    LockMode mode() default LockMode.EXCLUSIVE;

    /**
     * How many calls may hold the lock at the same time, over all instances: 1 to 64, as a number or {@code ${…}}; empty means one.
     * Each of them holds one of so many exclusive locks: {@link io.distlock.HeldLock#permit()} says which. Fencing tokens
     * and transactions refuse stale holders of the same permit only. Not with {@link LockMode#SHARED}, nor with a {@link #key()} of
     * several items.
     *
     * <p>While instances with different numbers run, as during a rolling deployment, the larger one is the limit.
     */
    String permits() default "";

    /** The provider that grants the lock: {@code redis}, {@code etcd}, …; {@code ${…}} is resolved. Empty: the default one. */
    String provider() default "";

    /** How long to wait for the lock; zero tries once. */
    String waitTime() default "";

    /**
     * How long one grant or renewal is valid. A dead holder's lock becomes free after about this time plus the
     * {@link #lockDelay()}.
     */
    String leaseTime() default "";

    /** The lock is lost, and reported as lost, once the method has run this long. */
    String maxHoldTime() default "";

    /** The lock stays taken at least this long, even if the method finishes earlier. */
    String minHoldTime() default "";

    /** If the holder vanishes, the lock stays taken for this much longer. */
    String lockDelay() default "";

    /** Whether the lease is renewed for as long as the method runs; if not, the lock ends with its first lease. */
    boolean renew() default true;

    /**
     * Whether a call is locked at all, as a SpEL expression with the same variables as {@link #key()} and a boolean
     * value. If false, the method runs without a lock. If empty, it is locked.
     */
    String condition() default "";

    /** What happens to the call if others hold the lock for the whole wait time. */
    OnNotAcquired onNotAcquired() default OnNotAcquired.THROW;

    /**
     * For {@link OnNotAcquired#FALLBACK}: the name of the method to call instead, without the lock. It is in
     * the same class or a superclass, may be private, takes the same arguments and returns the same type. It may take
     * the reason as one more argument: a {@link io.distlock.LockNotAcquiredException}, a
     * {@link io.distlock.LockUnavailableException}, or their common type {@link io.distlock.LockException}. With one of the
     * latter two, it is also called when the store does not answer. Overloads may handle different reasons.
     */
    String fallbackMethod() default "";

    /**
     * What happens to the running method if the lock is lost. A call that runs under the lock of an outer call follows
     * the setting of that call.
     */
    OnLost onLost() default OnLost.LEAVE_RUNNING;

    /**
     * Whether a database that refuses transactions of stale lock holders checks this lock. A call that runs under the lock
     * of an outer call shares its fencing. If the outer call has switched it off, it begins with the inner call.
     */
    Fencing fencing() default Fencing.DEFAULT;

    /** Whether a resource that compares fencing tokens refuses transactions under an outdated lock. */
    enum Fencing {

        /**
         * If there is such a resource: with {@code lock-jdbc-fence}, {@code distributed-lock.jdbc.fencing.enabled=true}, or for
         * reactive transactions {@code distributed-lock.r2dbc.fencing.enabled=true}.
         */
        DEFAULT,

        /**
         * Like {@link #DEFAULT}, but without such a resource the application does not start. A reactive method needs one for
         * reactive transactions, any other method one for those of its thread.
         */
        ON,

        /** Transactions are not checked for this lock. */
        OFF
    }
}
