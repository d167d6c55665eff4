package io.distlock.inmemory;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spi.Lease;
import java.time.Duration;

/**
 * One grant.
 *
 * @param renewedTimeToLive for how long a renewal keeps the key
 */
record InMemoryLease(LockKey key, LockMode mode, String owner, FencingToken token, Duration renewedTimeToLive)
        implements Lease {}
