package io.distlock.test.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets the locks of an application live in memory for a test, whatever store it is configured with, so that none is needed;
 * and offers a {@link io.distlock.test.application.LockTester} to be injected, which starts afresh with each test. What the
 * application itself still holds then, or keeps for a minimum hold time, stays: let each test use keys of its own, or start
 * another context. The application must have no in-memory provider of its own.
 *
 * <pre>{@code
 * @SpringBootTest
 * @InMemoryLocks
 * class ShopTests {
 *
 *     @Autowired
 *     LockTester locks;
 * }
 * }</pre>
 *
 * <p>Methods may name a provider beside the default one ({@code @DistributedLock(provider = "etcd")}): see {@link #alsoFor}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface InMemoryLocks {

    /**
     * The providers that methods name, each of which gets a memory of its own; such as {@code "etcd"}. The
     * {@link io.distlock.test.application.LockTester} that is injected plays with the default provider alone.
     */
    String[] alsoFor() default {};
}
