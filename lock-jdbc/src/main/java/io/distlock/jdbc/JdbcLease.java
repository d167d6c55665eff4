package io.distlock.jdbc;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spi.Lease;
import java.time.Duration;

/**
 * A grant in the database.
 *
 * @param renewedTimeToLive how long a renewal keeps it
 * @param afterUnknown how long an earlier try by this owner, whose outcome is unknown, could keep the key if it were applied only
 *     now; zero if there is none
 */
record JdbcLease(
        LockKey key, LockMode mode, String owner, FencingToken token, Duration renewedTimeToLive, Duration afterUnknown)
        implements Lease {}
