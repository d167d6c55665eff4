package io.distlock.etcd;

import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Ticker;
import io.distlock.support.DueSet;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

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
    private final Ledger ledger;
    private final DueSet<Holding> expiring;

    Holdings(QueueCalls queue, Sessions sessions, Ledger ledger, LockRuntime runtime) {
        this.queue = queue;
        this.sessions = sessions;
        this.ledger = ledger;
        this.runtime = runtime;
        this.ticker = runtime.ticker();
        this.expiring = new DueSet<>(runtime.ticker(), runtime.scheduler(), this::expire);
    }

    /** From now on the lock is held; it takes over the acquisition's use of the session. */
    Grant add(EtcdLease lease) {
        Place place = lease.place();
        Moment since = place.session().validSince(lease.believed());
        Holding holding =
                new Holding(lease, ticker.nanos() + place.request().timeToLive().toNanos());
        if (ledger.hold(holding)) {
            lease.session().hold();
            expiring.add(holding);
        } else {
            // The same owner has asked again, and uses the session already.
            sessions.leave(place.session());
        }
        return new Grant(lease, since);
    }

    /** The same owner asks again: the grant that it has. */
    Optional<Grant> again(LeaseRequest request) {
        return ledger.findSame(request)
                .filter(holding ->
                        !holding.isGone() && !holding.lease().session().isLost())
                .map(Holding::lease)
                .map(lease -> new Grant(lease, lease.session().validSince(lease.believed())));
    }

    Optional<Holding> find(EtcdLease lease) {
        return ledger.find(lease);
    }

    /** The lock is gone at the server. */
    void remove(Holding holding) {
        if (forget(holding)) {
            sessions.leave(holding.lease().session());
        }
    }

    /** From here on this process does not hold the lock; true if it did. */
    private boolean forget(Holding holding) {
        if (!ledger.letGo(holding)) {
            return false;
        }
        expiring.remove(holding);
        holding.lease().session().letGo();
        return true;
    }

    private void expire(List<Holding> due) {
        due.forEach(holding -> abandon(holding.lease()));
    }

    /** Nobody extends it any more, or ever will: deletes it in the background. */
    void abandon(EtcdLease lease) {
        runtime.reaper()
                .reap(
                        "The lock '" + lease.key() + "' that " + lease.owner() + " no longer extends",
                        lease.believed(),
                        () -> release(lease, Duration.ZERO));
    }

    /** As {@link io.distlock.spi.LockProvider#release}. */
    CompletableFuture<Release> release(EtcdLease lease, Duration keepFor) {
        boolean wasHeld = find(lease).map(this::forget).orElse(false);
        boolean keep = keepFor.compareTo(Duration.ZERO) > 0;
        CompletableFuture<Release> release =
                (keep ? keep(lease, keepFor) : delete(lease)).exceptionally(failure -> Release.UNKNOWN);
        if (!wasHeld) {
            return release;
        }
        return release.thenApply(outcome -> {
            // A session of its own goes with its lock, but not while the key is to stay and may still hang on it.
            if (!keep || outcome != Release.UNKNOWN) {
                sessions.leave(lease.session());
            }
            return outcome;
        });
    }

    private CompletableFuture<Release> delete(EtcdLease lease) {
        return lease.doubtful()
                ? queue.withdraw(lease.place())
                : queue.leave(lease.place().key(), lease.token().value());
    }

    /** Onto a lease that nobody extends, so that it stays for that long even if this process ends now. */
    private CompletableFuture<Release> keep(EtcdLease lease, Duration keepFor) {
        return sessions.grant(keepFor)
                .thenCompose(
                        leaseId -> queue.keep(lease.place().key(), lease.token().value(), leaseId));
    }
}
