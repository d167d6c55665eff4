package io.distlock.spring.template;

import org.jspecify.annotations.Nullable;

/**
 * What is done under a lock.
 *
 * @param <T> what it gives
 * @param <X> what it throws besides unchecked exceptions
 */
@FunctionalInterface
public interface LockedBody<T extends @Nullable Object, X extends Exception> {

    T run() throws X;
}
