package io.distlock.etcd;

import io.distlock.etcd.watch.Watches.WatchedKey;
import io.distlock.spi.Moment;
import io.distlock.support.Backoff;
import io.distlock.support.DueSet;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A lock that was granted here and not yet released: until when it is held, whether its key is watched, and who is notified
 * of its loss. Thread-safe.
 */
final class GrantedLock implements DueSet.Due {

    /**
     * A lock that is released sooner is never watched, which saves each short one two messages. Well below the grace that
     * others leave to a lock whose lease has gone, as are the pauses after which a watch that broke begins anew.
     */
    private static final Duration UNWATCHED = Duration.ofMillis(250);

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofMillis(500));

    private final EtcdLease lease;
    private volatile long untilNanos;
    private volatile long watchNanos;
    private volatile boolean toBeWatched = true;
    private volatile @Nullable Runnable onLoss;

    // Guarded by the monitor.
    private @Nullable WatchedKey watched;
    private boolean over;
    private int failures;

    /**
     * @param untilNanos when the store is to free it if it is not heard of again
     */
    GrantedLock(EtcdLease lease, long nowNanos, long untilNanos) {
        this.lease = lease;
        this.untilNanos = untilNanos;
        this.watchNanos = nowNanos + UNWATCHED.toNanos();
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

    boolean isExpired(long nowNanos) {
        return nowNanos - untilNanos >= 0;
    }

    // --- its loss ---

    void onLoss(Runnable lost) {
        onLoss = lost;
    }

    void tellLost() {
        Runnable lost = onLoss;
        if (lost != null) {
            lost.run();
        }
    }

    // --- its watch ---

    /** From now on it is watched, or about to be. */
    void watching() {
        toBeWatched = false;
    }

    /** Its watch has begun. */
    void watched(WatchedKey begun) {
        WatchedKey unused;
        synchronized (this) {
            unused = over ? begun : watched;
            watched = over ? null : begun;
        }
        WatchedKey.closeIfAny(unused);
    }

    synchronized boolean isWatched() {
        return watched != null && watched.isLive();
    }

    synchronized void seen() {
        failures = 0;
    }

    /** To be watched anew, after a pause; false if it has ended. */
    synchronized boolean watchAgain(long nowNanos) {
        failures++;
        watchNanos = nowNanos + BACKOFF.pause(failures).toNanos();
        toBeWatched = true;
        return !over;
    }

    /** It is not held any more: nothing is watched from here on. */
    void end() {
        WatchedKey last;
        synchronized (this) {
            over = true;
            last = watched;
            watched = null;
        }
        WatchedKey.closeIfAny(last);
    }

    @Override
    public long dueNanos() {
        return toBeWatched && watchNanos - untilNanos < 0 ? watchNanos : untilNanos;
    }
}
