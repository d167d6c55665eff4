package io.distlock.etcd;

import io.distlock.etcd.watch.Watches.WatchedKey;
import io.distlock.spi.Moment;
import io.distlock.support.Backoff;
import io.distlock.support.DueSet;
import java.time.Duration;

/** A lock granted here and not yet released: when it expires, and the watch on its key. Thread-safe. */
final class GrantedLock implements DueSet.Due {

    /**
     * A lock that is released sooner is never watched, which saves two messages. Well below the grace that waiters allow
     * after a lease is lost, as are the pauses before a broken watch is replaced.
     */
    private static final Duration UNWATCHED = Duration.ofMillis(250);

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofMillis(500));

    private final EtcdLease lease;
    private volatile long untilNanos;
    private volatile long watchNanos;
    private volatile boolean toBeWatched = true;
    private volatile Runnable onLoss = () -> {};

    // Guarded by the monitor.
    private WatchedKey watched = WatchedKey.NONE;
    private boolean over;
    private int failures;

    GrantedLock(EtcdLease lease, long nowNanos, long untilNanos) {
        this.lease = lease;
        this.untilNanos = untilNanos;
        this.watchNanos = nowNanos + UNWATCHED.toNanos();
    }

    EtcdLease lease() {
        return lease;
    }

    synchronized void extend(Moment since, Duration timeToLive) {
        long until = since.nanos() + timeToLive.toNanos();
        if (until - untilNanos > 0) {
            untilNanos = until;
        }
    }

    boolean isExpired(long nowNanos) {
        return nowNanos - untilNanos >= 0;
    }

    void onLoss(Runnable lost) {
        onLoss = lost;
    }

    void notifyLost() {
        onLoss.run();
    }

    // --- its watch ---

    void watching() {
        toBeWatched = false;
    }

    void watched(WatchedKey begun) {
        WatchedKey unused;
        synchronized (this) {
            unused = over ? begun : watched;
            watched = over ? watched : begun;
        }
        unused.close();
    }

    synchronized boolean isWatched() {
        return watched.isLive();
    }

    synchronized void seen() {
        failures = 0;
    }

    /** Watches again after a pause; false if it has ended. */
    synchronized boolean watchAgain(long nowNanos) {
        failures++;
        watchNanos = nowNanos + BACKOFF.pause(failures).toNanos();
        toBeWatched = true;
        return !over;
    }

    void end() {
        WatchedKey last;
        synchronized (this) {
            over = true;
            last = watched;
        }
        last.close();
    }

    @Override
    public long dueNanos() {
        return toBeWatched && watchNanos - untilNanos < 0 ? watchNanos : untilNanos;
    }
}
