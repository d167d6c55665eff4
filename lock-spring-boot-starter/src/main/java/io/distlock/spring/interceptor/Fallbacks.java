package io.distlock.spring.interceptor;

import io.distlock.LockException;
import io.distlock.LockUnavailableException;
import java.util.Optional;

/**
 * The methods that stand in for a locked one.
 *
 * @param notAcquired if another holds the lock
 * @param unavailable if the store does not answer; absent unless a method declares that it takes this
 */
record Fallbacks(FallbackMethod notAcquired, Optional<FallbackMethod> unavailable) {

    Optional<FallbackMethod> of(LockException why) {
        return why instanceof LockUnavailableException ? unavailable : Optional.of(notAcquired);
    }
}
