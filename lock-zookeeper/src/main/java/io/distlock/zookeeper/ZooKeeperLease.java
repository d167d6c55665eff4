package io.distlock.zookeeper;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.support.DueSet;
import java.time.Duration;
import java.util.function.Consumer;

/** A lock granted here, and the watch on its node: an operator may delete it. Thread-safe. */
final class ZooKeeperLease implements Lease, DueSet.Due {

    /** A lock that is released sooner is never watched, which saves two messages. */
    private static final Duration UNWATCHED = Duration.ofMillis(250);

    record Id(LockKey key, LockMode mode, String owner) {

        static Id of(LeaseRequest request) {
            return new Id(request.key(), request.mode(), request.owner());
        }
    }

    final Id id;
    final QueuePlace place;
    volatile Runnable onLoss = () -> {};

    /** The node was deleted, has changed, or its session is lost. */
    final Runnable onChange;

    private volatile long untilNanos;
    private volatile long watchedNanos;
    private volatile boolean watched;

    ZooKeeperLease(QueuePlace place, Moment since, long nowNanos, Consumer<ZooKeeperLease> changed) {
        this.id = Id.of(place.request());
        this.place = place;
        this.onChange = () -> changed.accept(this);
        this.untilNanos = since.nanos() + place.request().timeToLive().toNanos();
        this.watchedNanos = nowNanos + UNWATCHED.toNanos();
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
        return new FencingToken(place.czxid());
    }

    ZooKeeperSession session() {
        return place.session();
    }

    /** What the session must outlast: the time for which the holder relies on the lock, plus the lock-delay. */
    Duration renewedTimeToLive() {
        return place.request().renewedTimeToLive();
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

    void watched(boolean is, long againNanos) {
        watched = is;
        watchedNanos = againNanos;
    }

    /** When to watch it, or to see whether it was extended. */
    @Override
    public long dueNanos() {
        return watched || untilNanos - watchedNanos < 0 ? untilNanos : watchedNanos;
    }
}
