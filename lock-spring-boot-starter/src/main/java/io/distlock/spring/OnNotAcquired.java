package io.distlock.spring;

/**
 * What becomes of a call whose lock another holds for the whole wait time. The method is not run in any case. A
 * store that does not answer is a different matter and always an
 * {@link io.distlock.LockUnavailableException exception}, unless a {@link DistributedLock#fallbackMethod() fallback}
 * declares that very type.
 */
public enum OnNotAcquired {

    /** The caller gets a {@link io.distlock.LockNotAcquiredException}. */
    THROW,

    /**
     * The caller gets an empty value: {@code Optional.empty()} where an {@code Optional} is returned, {@code null}
     * for any other reference, a {@code List} included; a future of such a value; an empty publisher. A method that
     * returns nothing just returns, and the caller cannot tell. One that returns a primitive has no empty value and is
     * refused at start-up.
     */
    SKIP,

    /** The {@link DistributedLock#fallbackMethod() fallback method} is called, without the lock. */
    FALLBACK
}
