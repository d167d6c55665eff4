package io.distlock.spi;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;

/**
 * One grant in the store. Immutable. A provider stores in it what it needs to find its entry again, and gets the
 * same object back.
 */
public interface Lease {

    LockKey key();

    LockMode mode();

    String owner();

    FencingToken token();
}
