package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.etcd.watch.WatchedKey;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.support.Backoff;
import java.time.Duration;
import java.util.Comparator;

/**
 * A lock granted here, and the watch on its key: an operator may delete it, and a frozen leader may resume and revoke its
 * lease. As no key is used twice, its deletion proves the loss. Thousands may be held, so it keeps neither the acquisition
 * nor the bytes of its key, and is its watch's listener itself. Thread-safe.
 */
final class EtcdLease implements Lease, Runnable {

    /**
     * A place that is left sooner is never watched, which saves two messages. Well below the grace that waiters allow after a
     * lease is lost, as are the pauses before a broken watch is replaced.
     */
    static final Duration UNWATCHED = Duration.ofMillis(250);

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofMillis(500));

    record Id(LockKey key, LockMode mode, String owner) {

        static final Comparator<Id> ORDER =
                Comparator.comparing(Id::key).thenComparing(Id::mode).thenComparing(Id::owner);

        static Id of(LeaseRequest request) {
            return new Id(request.key(), request.mode(), request.owner());
        }
    }

    final Id id;
    final LockOptions options;
    final Session session;
    final int attempt;
    /** The key's, and the fencing token. */
    final long createRevision;

    private final EtcdLeases all;
    private volatile long untilNanos;
    /** When to watch it, or to see whether it has expired. */
    volatile long dueNanos;

    volatile Runnable onLoss = () -> {};

    // Guarded by the monitor.
    private WatchedKey watched = WatchedKey.NONE;
    private boolean over;
    private int failures;

    EtcdLease(EtcdLeases all, QueuePlace place, long createRevision, long nowNanos) {
        this.all = all;
        this.id = Id.of(place.request());
        this.options = place.request().options();
        this.session = place.session();
        this.attempt = place.attempt();
        this.createRevision = createRevision;
        this.untilNanos = nowNanos + options.timeToLive().toNanos();
        this.dueNanos = Math.min(untilNanos - nowNanos, UNWATCHED.toNanos()) + nowNanos;
    }

    @Override
    public LockKey key() {
        return id.key();
    }

    @Override
    public LockMode mode() {
        return id.mode();
    }

    @Override
    public String owner() {
        return id.owner();
    }

    @Override
    public FencingToken token() {
        return new FencingToken(createRevision);
    }

    /** What the session must outlast: the time for which the holder relies on the lock, plus the lock-delay. */
    Duration renewedTimeToLive() {
        return options.leaseTime().plus(options.lockDelay());
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

    /** Ensures that it is watched, and is not due again before it may have expired. */
    void ensureWatched() {
        boolean broken;
        synchronized (this) {
            dueNanos = untilNanos;
            broken = watched.isOver();
            if (!broken && (failures == 0 || !watched.isDone())) {
                return;
            }
        }
        if (broken) {
            watch();
        } else {
            // Only the check failed.
            all.check(this);
        }
    }

    private void watch() {
        WatchedKey begun = all.watches.watch(all.key(this), 0, this);
        WatchedKey unused;
        synchronized (this) {
            unused = over ? begun : watched;
            watched = over ? watched : begun;
        }
        unused.close();
        begun.whenComplete((standing, failure) -> {
            if (failure == null) {
                all.check(this);
            } else {
                ensureWatchedLater();
            }
        });
    }

    /** Its key is deleted, or the watch has broken. */
    @Override
    public void run() {
        if (isWatched()) {
            all.remove(this);
        } else {
            ensureWatchedLater();
        }
    }

    /** Nothing was missed before the watch was established. */
    synchronized void checked() {
        failures = 0;
    }

    private synchronized boolean isWatched() {
        return watched.isLive();
    }

    void ensureWatchedLater() {
        if (watchAgain(all.ticker.nanos())) {
            all.dueBy(dueNanos);
        }
    }

    /** Due again after a pause; false if it has ended. */
    synchronized boolean watchAgain(long nowNanos) {
        failures++;
        dueNanos = nowNanos + BACKOFF.pause(failures).toNanos();
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
}
