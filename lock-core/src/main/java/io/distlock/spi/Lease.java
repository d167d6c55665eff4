package io.distlock.spi;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;

/**
 * One grant in the store. Immutable; each provider has an implementation with what it needs to find its entry
 * again, and is handed back the very object that it answered.
 */
public interface Lease {

    LockKey key();

    LockMode mode();

    String owner();

    FencingToken token();
}
