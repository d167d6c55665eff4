package io.distlock.inmemory;

import io.distlock.LockStatus;
import java.time.Duration;
import java.util.Optional;

/** A grant in the store, with the time at which it ends by itself. Guarded by the table's monitor. */
final class Holding {

    private final InMemoryLease lease;
    private long expiresAt;
    private boolean kept;

    Holding(InMemoryLease lease, long expiresAt) {
        this.lease = lease;
        this.expiresAt = expiresAt;
    }

    InMemoryLease lease() {
        return lease;
    }

    long expiresAt() {
        return expiresAt;
    }

    boolean hasExpired(long now) {
        return now - expiresAt >= 0;
    }

    /** Whether it still belongs to its owner: one that is kept for its minimum hold time has been given back. */
    boolean belongsTo(String owner) {
        return !kept && lease.owner().equals(owner);
    }

    /** Whether it has been given back, and only its minimum hold time is not over. */
    boolean isKept() {
        return kept;
    }

    /** Never shortens what it has. */
    void extend(long now, Duration timeToLive) {
        long until = now + timeToLive.toNanos();
        if (until - expiresAt > 0) {
            expiresAt = until;
        }
    }

    void keep(long now, Duration time) {
        kept = true;
        expiresAt = now + time.toNanos();
    }

    LockStatus.Holder describe(long now) {
        return new LockStatus.Holder(
                lease.owner(), Optional.of(lease.token()), Optional.of(Duration.ofNanos(Math.max(0, expiresAt - now))));
    }
}
