package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Lease;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;

/**
 * One grant.
 *
 * @param token the create revision of its key
 * @param place its key
 * @param session what the key hangs on
 * @param options lease time and lock-delay
 */
record EtcdLease(
        LockKey key,
        LockMode mode,
        String owner,
        FencingToken token,
        ByteSequence place,
        Session session,
        LockOptions options)
        implements Lease {

    static EtcdLease of(Place place, long createRevision) {
        return new EtcdLease(
                place.request().key(),
                place.request().mode(),
                place.request().owner(),
                new FencingToken(createRevision),
                place.key(),
                place.session(),
                place.request().options());
    }

    /** What the session has to outlast: the time that the holder believes in, and the lock-delay. */
    Duration believed() {
        return options.leaseTime().plus(options.lockDelay());
    }
}
