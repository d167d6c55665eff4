package io.distlock.redis.script;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spi.Lease;
import java.time.Duration;

/**
 * A granted lock as Redis stores it: key, owner and token. Kept as long as it is held.
 *
 * @param afterUnknown the time to live of an earlier try that may still be in a server's buffer; zero if there is none
 */
public record RedisLease(
        LockKey key,
        LockMode mode,
        String owner,
        FencingToken token,
        RedisKeys.Names names,
        Duration renewedTimeToLive,
        Duration afterUnknown)
        implements Lease {

    /** The value in Redis for this grant and no other. */
    String value() {
        return owner + ':' + token.value();
    }

    /** The same with another duration. */
    public RedisLease lasting(Duration time) {
        return new RedisLease(key, mode, owner, token, names, time, afterUnknown);
    }
}
