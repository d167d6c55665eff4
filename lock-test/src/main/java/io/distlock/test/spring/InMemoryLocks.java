package io.distlock.test.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Keeps an application's locks in memory for a test, whatever store is configured, so that none is needed. Provides a
 * {@link io.distlock.test.application.LockTester} for injection, which starts afresh with each test. Locks that the
 * application itself still holds then, or keeps for a minimum hold time, remain: use different keys in each test, or
 * start another context. The application must not have an in-memory provider of its own.
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
 * <p>If methods name a provider ({@code @DistributedLock(provider = "etcd")}), see {@link #alsoFor}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface InMemoryLocks {

    /**
     * The providers that methods name, such as {@code "etcd"}. Each gets its own memory. The injected
     * {@link io.distlock.test.application.LockTester} controls only the default provider.
     */
    String[] alsoFor() default {};
}
