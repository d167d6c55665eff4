package io.distlock.etcd;

import io.distlock.spi.Moment;
import io.distlock.support.DueSet;

/** A lock that was granted here and not given back. Thread-safe. */
final class Holding implements DueSet.Due {

    private final EtcdLease lease;
    private volatile long untilNanos;
    private volatile boolean gone;

    /**
     * @param untilNanos when the store is to free it if it is not heard of again
     */
    Holding(EtcdLease lease, long untilNanos) {
        this.lease = lease;
        this.untilNanos = untilNanos;
    }

    EtcdLease lease() {
        return lease;
    }

    void extend(Moment since) {
        long until = since.nanos() + lease.believed().toNanos();
        if (until - untilNanos > 0) {
            untilNanos = until;
        }
    }

    /** Its key was deleted by somebody else. */
    void gone() {
        gone = true;
    }

    boolean isGone() {
        return gone;
    }

    @Override
    public long dueNanos() {
        return untilNanos;
    }
}
