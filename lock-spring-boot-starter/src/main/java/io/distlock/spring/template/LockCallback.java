package io.distlock.spring.template;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs under a lock.
 *
 * @param <T> the result
 * @param <X> the checked exception it may throw
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, X extends Exception> {

    T run() throws X;
}
