package io.distlock.etcd;

import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Ticker;
import io.distlock.support.DueSet;
import io.distlock.support.LockRuntime;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The locks that are held through this provider. The session that their keys hang on may live for ever, being extended
 * for others; so each lock's own time to live is kept here: a lock that nobody extended for so long is deleted. If this
 * process dies, so does the session. Thread-safe.
 */
final class Holdings {

    private final QueueCalls queue;
    private final Sessions sessions;
    private final LockRuntime runtime;
    private final Ticker ticker;
    private final Map<ByteSequence, Holding> held = new ConcurrentHashMap<>();
    private final DueSet<Holding> expiring;

    Holdings(QueueCalls queue, Sessions sessions, LockRuntime runtime) {
        this.queue = queue;
        this.sessions = sessions;
        this.runtime = runtime;
        this.ticker = runtime.ticker();
        this.expiring = new DueSet<>(runtime.ticker(), runtime.scheduler(), this::expire);
    }

    /** From now on the lock is held; it takes over the acquisition's use of the session. */
    Grant add(Place place, long createRevision) {
        LeaseRequest request = place.request();
        EtcdLease lease = EtcdLease.of(place, createRevision);
        Moment since = place.session().validSince(lease.believed());
        Holding holding =
                new Holding(lease, ticker.nanos() + request.timeToLive().toNanos());
        if (held.putIfAbsent(lease.place(), holding) == null) {
            lease.session().hold();
            expiring.add(holding);
        } else {
            // The same owner has asked again, and uses the session already.
            sessions.leave(place.session());
        }
        return new Grant(lease, since);
    }

    Optional<Holding> find(EtcdLease lease) {
        return Optional.ofNullable(held.get(lease.place()));
    }

    /** The lock is held no more, as far as this process is concerned. */
    void remove(Holding holding) {
        if (held.remove(holding.lease().place(), holding)) {
            expiring.remove(holding);
            holding.lease().session().letGo();
            sessions.leave(holding.lease().session());
        }
    }

    private void expire(List<Holding> due) {
        due.forEach(holding -> abandon(holding.lease()));
    }

    /** Nobody extends it any more, or ever will: deletes it in the background. */
    void abandon(EtcdLease lease) {
        find(lease).ifPresent(this::remove);
        runtime.reaper()
                .reap(
                        "The lock '" + lease.key() + "' that " + lease.owner() + " no longer extends",
                        lease.believed(),
                        () -> delete(lease));
    }

    private CompletableFuture<Release> delete(EtcdLease lease) {
        return queue.leave(lease.place(), lease.token().value()).exceptionally(failure -> Release.UNKNOWN);
    }

    CompletableFuture<Release> release(EtcdLease lease, Duration keepFor) {
        find(lease).ifPresent(this::remove);
        return delete(lease);
    }

    int size() {
        return held.size();
    }
}
