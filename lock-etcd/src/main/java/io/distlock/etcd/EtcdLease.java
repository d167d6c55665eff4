package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.etcd.QueuePosition.Place;
import io.distlock.spi.Lease;
import java.time.Duration;

/**
 * A granted lock as etcd stores it: its key in the queue, and the token.
 *
 * @param token the create revision of the place's key
 */
record EtcdLease(Place place, FencingToken token) implements Lease {

    @Override
    public LockKey key() {
        return place.request().key();
    }

    @Override
    public LockMode mode() {
        return place.request().mode();
    }

    @Override
    public String owner() {
        return place.request().owner();
    }

    Session session() {
        return place.session();
    }

    /** What the session must outlast: the time for which the holder relies on the lock, plus the lock-delay. */
    Duration believed() {
        return place.request().renewedTimeToLive();
    }
}
