package io.distlock.spring.execution;

import io.distlock.LockException;
import org.jspecify.annotations.Nullable;

/** What a caller gets in place of a body that was not run. */
@FunctionalInterface
public interface Refusal {

    /** The caller is told why. */
    Refusal THROW = why -> {
        throw why;
    };

    /**
     * The answer in place of the body's.
     *
     * @param why a {@link io.distlock.LockNotAcquiredException} or a {@link io.distlock.LockUnavailableException}
     */
    @Nullable
    Object answer(LockException why) throws Throwable;
}
