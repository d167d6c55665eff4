package io.distlock.spi;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;

/**
 * A granted lock as its store knows it. Immutable. A provider stores in it what it needs to find its entry again, and
 * gets the same object back. The engine decides how long it is valid: see {@link Grant#since()}.
 */
public interface Lease {

    LockKey key();

    LockMode mode();

    String owner();

    FencingToken token();
}
