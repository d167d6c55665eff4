package io.distlock.etcd;

import io.distlock.LockKey;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.spi.RenewalAnswers;
import io.distlock.spi.Ticker;
import io.distlock.support.DueSet;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The locks that are held through this provider. The session that their keys hang on may live for ever, being extended
 * for others; so each lock's own time to live is kept here: a lock that nobody extended for so long is deleted. If this
 * process dies, so does the session.
 *
 * <p>Each key is watched, unless it is given back soon: etcd may take it away though its session is extended, by hand of an
 * operator, or as a leader that was frozen and thaws. What the watch tells is looked at once more before it is believed, and
 * so is what may have happened while there was no watch. Thread-safe.
 */
final class Holdings {

    private final QueueCalls queue;
    private final Sessions sessions;
    private final Watches watches;
    private final LockRuntime runtime;
    private final Ticker ticker;
    private final Map<Owner, Holding> held = new ConcurrentHashMap<>();
    private final DueSet<Holding> due;

    private record Owner(LockKey key, String owner) {

        static Owner of(EtcdLease lease) {
            return new Owner(lease.key(), lease.owner());
        }
    }

    Holdings(QueueCalls queue, Sessions sessions, Watches watches, LockRuntime runtime) {
        this.queue = queue;
        this.sessions = sessions;
        this.watches = watches;
        this.runtime = runtime;
        this.ticker = runtime.ticker();
        this.due = new DueSet<>(runtime.ticker(), runtime.scheduler(), this::due);
    }

    /** From now on the lock is held; it takes over the acquisition's use of the session. */
    Grant add(EtcdLease lease) {
        Place place = lease.place();
        Moment since = place.session().validSince(lease.believed());
        long now = ticker.nanos();
        Holding holding =
                new Holding(lease, now, now + place.request().timeToLive().toNanos());
        if (held.putIfAbsent(Owner.of(lease), holding) == null) {
            lease.session().hold();
            due.add(holding);
        } else {
            // The same owner has asked again, and uses the session already.
            sessions.leave(place.session());
        }
        return new Grant(lease, since);
    }

    /** The same owner asks again: the grant that it has. */
    Optional<Grant> again(LeaseRequest request) {
        return Optional.ofNullable(held.get(new Owner(request.key(), request.owner())))
                .map(Holding::lease)
                .filter(lease -> !lease.session().isLost())
                .map(lease -> new Grant(lease, lease.session().validSince(lease.believed())));
    }

    Optional<Holding> find(EtcdLease lease) {
        return Optional.ofNullable(held.get(Owner.of(lease)))
                .filter(holding ->
                        holding.lease().place().key().equals(lease.place().key()));
    }

    /** As {@link io.distlock.spi.LockProvider#onLoss}. */
    void onLoss(EtcdLease lease, Runnable lost) {
        find(lease).ifPresent(holding -> holding.onLoss(lost));
        // It may have gone before anybody could be told.
        if (find(lease).isEmpty()) {
            lost.run();
        }
    }

    /** The lock is gone at the server. */
    void remove(Holding holding) {
        if (forget(holding)) {
            sessions.leave(holding.lease().session());
            holding.tellLost();
        }
    }

    /** From here on this process does not hold the lock; true if it did. */
    private boolean forget(Holding holding) {
        if (!held.remove(Owner.of(holding.lease()), holding)) {
            return false;
        }
        due.remove(holding);
        holding.end();
        holding.lease().session().letGo();
        return true;
    }

    private void due(List<Holding> all) {
        for (Holding each : all) {
            if (each.isExpired(ticker.nanos())) {
                abandon(each.lease());
            } else {
                watch(each);
            }
        }
    }

    // --- extending ---

    /**
     * As {@link io.distlock.spi.LockProvider#renew}: one call for each session, however many locks hang on it, and none where
     * the session was extended a moment ago for others.
     */
    void renew(Collection<Lease> leases, RenewalAnswers answers) {
        IdentityHashMap<Session, List<EtcdLease>> stale = new IdentityHashMap<>();
        for (Lease each : leases) {
            EtcdLease lease = (EtcdLease) each;
            if (find(lease).isEmpty() || isFresh(lease)) {
                answer(lease, Renewal.RENEWED, answers);
            } else {
                stale.computeIfAbsent(lease.session(), session -> new ArrayList<>())
                        .add(lease);
            }
        }
        stale.forEach((session, all) ->
                session.keepAlive().thenAccept(renewal -> all.forEach(lease -> answer(lease, renewal, answers))));
    }

    /** An extension that is younger than a sixth of the lease is taken for the answer: another call would gain nothing. */
    private boolean isFresh(EtcdLease lease) {
        Session session = lease.session();
        return !session.isLost()
                && session.validSince(lease.believed()).elapsedNanos(ticker)
                        <= lease.options().leaseTime().toNanos() / 6;
    }

    private void answer(EtcdLease lease, Renewal renewal, RenewalAnswers answers) {
        Optional<Holding> holding = find(lease);
        if (renewal == Renewal.NOT_OWNER || holding.isEmpty()) {
            holding.ifPresent(this::remove);
            answers.answer(lease, Renewal.NOT_OWNER);
        } else if (renewal == Renewal.UNKNOWN) {
            answers.answer(lease, Renewal.UNKNOWN);
        } else {
            Moment since = lease.session().validSince(lease.believed());
            holding.get().extend(since);
            answers.renewedSince(lease, since);
        }
    }

    // --- watching ---

    private void watch(Holding holding) {
        holding.watching();
        if (holding.isWatched()) {
            // Only the look had failed.
            look(holding);
            return;
        }
        Watches.Watched watched = watches.watch(holding.lease().place().key(), () -> told(holding));
        holding.watched(watched);
        // Also if it does not stand: then this look is all there is.
        watched.standing().whenComplete((standing, failure) -> look(holding));
    }

    private void told(Holding holding) {
        if (holding.isWatched()) {
            look(holding);
        } else {
            watchAgain(holding);
        }
    }

    private void look(Holding holding) {
        EtcdLease lease = holding.lease();
        queue.isThere(lease.place().key(), lease.token().value()).whenComplete((there, failure) -> {
            if (failure == null && !there) {
                remove(holding);
            } else if (failure != null || !holding.isWatched()) {
                watchAgain(holding);
            } else {
                holding.seen();
            }
        });
    }

    private void watchAgain(Holding holding) {
        if (holding.watchAgain(ticker.nanos())) {
            due.reconsider(holding);
        }
    }

    // --- giving back ---

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
        if (keepFor.compareTo(Duration.ZERO) > 0) {
            if (wasHeld) {
                // The key may stay on it.
                sessions.leaveToRunOut(lease.session());
            }
            return keep(lease, keepFor).exceptionally(failure -> Release.UNKNOWN);
        }
        return delete(lease).exceptionally(failure -> Release.UNKNOWN).thenApply(outcome -> {
            if (wasHeld) {
                sessions.leave(lease.session());
            }
            return outcome;
        });
    }

    private CompletableFuture<Release> delete(EtcdLease lease) {
        return queue.leave(lease.place().key(), lease.token().value());
    }

    /**
     * Onto a lease that nobody extends, so that it stays for that long even if this process ends now. etcd's leases are
     * longer than that, by a second or two: this process deletes the key when its time is over.
     */
    private CompletableFuture<Release> keep(EtcdLease lease, Duration keepFor) {
        Deadline end = Deadline.in(keepFor, ticker);
        return sessions.grant(keepFor)
                .thenCompose(
                        leaseId -> queue.keep(lease.place().key(), lease.token().value(), leaseId))
                // Also if the outcome is unknown.
                .whenComplete(
                        (release, failure) -> runtime.scheduler().schedule(() -> endKeeping(lease), end.remaining()));
    }

    private void endKeeping(EtcdLease lease) {
        runtime.reaper()
                .reap(
                        "The lock '" + lease.key() + "' after its minimum hold time",
                        lease.believed(),
                        () -> delete(lease));
    }
}
