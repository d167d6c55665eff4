package io.distlock.spring;

/**
 * What happens to a call if others hold its lock for the whole wait time. The method never runs. A store that does not
 * answer is a different case: it always causes an {@link io.distlock.LockUnavailableException exception}, unless a
 * {@link DistributedLock#fallbackMethod() fallback} declares that type.
 */
public enum OnNotAcquired {

    /** The caller gets a {@link io.distlock.LockNotAcquiredException}. */
    THROW,

    /**
     * The caller gets an empty value: an empty {@code Optional}, array, {@code List}, {@code Set}, {@code Map}, {@code
     * Queue}, or any other collection or map of {@code java.util} that has a constructor without arguments; an empty
     * publisher; a future of such a value; {@code null} for any other reference. The caller may change the collection. A
     * {@code void} method just returns, and the caller cannot tell the difference. A method that returns a primitive has no
     * empty value and is rejected at start-up.
     */
    SKIP,

    /** The {@link DistributedLock#fallbackMethod() fallback method} is called, without the lock. */
    FALLBACK
}
