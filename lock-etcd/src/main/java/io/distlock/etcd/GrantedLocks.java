package io.distlock.etcd;

import io.distlock.LockKey;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.etcd.QueuePosition.Place;
import io.distlock.etcd.watch.Watches;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import io.distlock.support.DueSet;
import io.distlock.support.LockRuntime;
import io.etcd.jetcd.ByteSequence;
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
 * The locks held through this provider. A session may live forever, being extended for others, so a lock that was not
 * extended within its own time to live is deleted here. Each key is watched, unless it is released soon: an operator may
 * delete it by hand, and a frozen leader may resume and revoke its lease. What the watch reports is verified, and so is
 * what may have happened while there was no watch. Thread-safe.
 */
final class GrantedLocks {

    private final QueueTransactions transactions;
    private final SessionPool sessions;
    private final Watches watches;
    private final LockRuntime runtime;
    private final Ticker ticker;
    private final Map<Owner, GrantedLock> held = new ConcurrentHashMap<>();
    private final DueSet<GrantedLock> due;

    private record Owner(LockKey key, String owner) {

        static Owner of(EtcdLease lease) {
            return new Owner(lease.key(), lease.owner());
        }
    }

    GrantedLocks(QueueTransactions transactions, SessionPool sessions, Watches watches, LockRuntime runtime) {
        this.transactions = transactions;
        this.sessions = sessions;
        this.watches = watches;
        this.runtime = runtime;
        this.ticker = runtime.ticker();
        this.due = new DueSet<>(runtime.ticker(), runtime.scheduler(), this::due);
    }

    /** The lock takes over the acquisition's use of the session. */
    Grant add(EtcdLease lease) {
        Place place = lease.place();
        Moment since = place.session().validSince(lease.believed());
        long now = ticker.nanos();
        GrantedLock lock =
                new GrantedLock(lease, now, now + place.request().timeToLive().toNanos());
        if (held.putIfAbsent(Owner.of(lease), lock) == null) {
            lease.session().hold();
            due.add(lock);
        } else {
            // The same owner has asked again, and already uses the session.
            sessions.leave(place.session());
        }
        return new Grant(lease, since);
    }

    Optional<Grant> again(LeaseRequest request) {
        return Optional.ofNullable(held.get(new Owner(request.key(), request.owner())))
                .map(GrantedLock::lease)
                .filter(lease -> !lease.session().isLost())
                .map(lease -> new Grant(lease, lease.session().validSince(lease.believed())));
    }

    Optional<GrantedLock> find(EtcdLease lease) {
        return Optional.ofNullable(held.get(Owner.of(lease)))
                .filter(lock -> lock.lease().place().key().equals(lease.place().key()));
    }

    /** The key of a grant that is held here. */
    Optional<ByteSequence> place(Sequencer grant) {
        return held.values().stream()
                .map(GrantedLock::lease)
                .filter(lease ->
                        lease.token().equals(grant.token()) && lease.key().equals(grant.key()))
                .map(lease -> lease.place().key())
                .findFirst();
    }

    void onLoss(EtcdLease lease, Runnable lost) {
        find(lease).ifPresent(lock -> lock.onLoss(lost));
        // It may have gone before there was a listener.
        if (find(lease).isEmpty()) {
            lost.run();
        }
    }

    /** The server no longer has it. */
    private void remove(GrantedLock lock) {
        if (forget(lock)) {
            sessions.leave(lock.lease().session());
            lock.notifyLost();
        }
    }

    /** True if this process held the lock until now. */
    private boolean forget(GrantedLock lock) {
        if (!held.remove(Owner.of(lock.lease()), lock)) {
            return false;
        }
        due.remove(lock);
        lock.end();
        lock.lease().session().letGo();
        return true;
    }

    private void due(List<GrantedLock> all) {
        for (GrantedLock each : all) {
            if (each.isExpired(ticker.nanos())) {
                abandon(each.lease());
            } else {
                watch(each);
            }
        }
    }

    // --- extending ---

    /**
     * As {@link io.distlock.spi.LockProvider#renew}: one call for each session, however many locks use it, and none if
     * the session has just been extended for others.
     */
    void renew(Collection<Lease> leases, Renewal.Answers answers) {
        IdentityHashMap<Session, List<EtcdLease>> stale = new IdentityHashMap<>();
        for (Lease each : leases) {
            EtcdLease lease = (EtcdLease) each;
            if (find(lease).isEmpty() || isFresh(lease)) {
                answer(lease, lease.believed(), Renewal.RENEWED, answers);
            } else {
                stale.computeIfAbsent(lease.session(), session -> new ArrayList<>())
                        .add(lease);
            }
        }
        stale.forEach((session, all) -> session.keepAlive()
                .thenAccept(renewal -> all.forEach(lease -> answer(lease, lease.believed(), renewal, answers))));
    }

    void extend(EtcdLease lease, Duration timeToLive, Renewal.Answers answers) {
        if (timeToLive.compareTo(lease.believed()) > 0) {
            throw new IllegalArgumentException("etcd cannot extend lock '" + lease.key() + "' to " + timeToLive
                    + ", lock-delay included: it was acquired for " + lease.believed()
                    + ". Acquire it with a longer lease");
        }
        lease.session().keepAlive().thenAccept(renewal -> answer(lease, timeToLive, renewal, answers));
    }

    /** After an extension that is younger than a sixth of the lease, another call would gain nothing. */
    private boolean isFresh(EtcdLease lease) {
        Session session = lease.session();
        return !session.isLost()
                && session.validSince(lease.believed()).elapsedNanos(ticker)
                        <= lease.place().request().options().leaseTime().toNanos() / 6;
    }

    private void answer(EtcdLease lease, Duration timeToLive, Renewal renewal, Renewal.Answers answers) {
        Optional<GrantedLock> lock = find(lease);
        if (renewal == Renewal.NOT_OWNER || lock.isEmpty()) {
            lock.ifPresent(this::remove);
            answers.answer(lease, Renewal.NOT_OWNER);
        } else if (renewal == Renewal.UNKNOWN) {
            answers.answer(lease, Renewal.UNKNOWN);
        } else {
            Moment since = lease.session().validSince(timeToLive);
            lock.get().extend(since, timeToLive);
            answers.renewedSince(lease, since);
        }
    }

    // --- watching ---

    private void watch(GrantedLock lock) {
        lock.watching();
        if (lock.isWatched()) {
            // Only the check failed.
            look(lock);
            return;
        }
        Watches.WatchedKey watched = watches.watch(lock.lease().place().key(), () -> notified(lock));
        lock.watched(watched);
        // Even if the watch fails.
        watched.standing().whenComplete((standing, failure) -> look(lock));
    }

    private void notified(GrantedLock lock) {
        if (lock.isWatched()) {
            look(lock);
        } else {
            watchAgain(lock);
        }
    }

    private void look(GrantedLock lock) {
        EtcdLease lease = lock.lease();
        transactions.isThere(lease.place().key(), lease.token().value()).whenComplete((there, failure) -> {
            if (failure == null && !there) {
                remove(lock);
            } else if (failure != null || !lock.isWatched()) {
                watchAgain(lock);
            } else {
                lock.seen();
            }
        });
    }

    private void watchAgain(GrantedLock lock) {
        if (lock.watchAgain(ticker.nanos())) {
            due.reconsider(lock);
        }
    }

    // --- releasing ---

    /** Deletes it in the background: nobody extends it any more. */
    void abandon(EtcdLease lease) {
        runtime.reaper()
                .reap(
                        "The lock '" + lease.key() + "' that " + lease.owner() + " no longer extends",
                        lease.believed(),
                        () -> release(lease, Duration.ZERO));
    }

    CompletableFuture<Release> release(EtcdLease lease, Duration keepFor) {
        boolean wasHeld = find(lease).map(this::forget).orElse(false);
        if (keepFor.compareTo(Duration.ZERO) > 0) {
            if (wasHeld) {
                sessions.leaveToRunOut(lease.session());
            }
            return keep(lease, keepFor).exceptionally(failure -> Release.UNKNOWN);
        }
        return delete(lease).exceptionally(failure -> Release.UNKNOWN).whenComplete((outcome, never) -> {
            if (wasHeld) {
                sessions.leave(lease.session());
            }
        });
    }

    private CompletableFuture<Release> delete(EtcdLease lease) {
        return transactions.leave(lease.place().key(), lease.token().value());
    }

    /**
     * Moves the key to a lease that nobody extends, so that it stays even if this process ends now. etcd leases last a
     * second or two longer than requested: this process deletes the key on time.
     */
    private CompletableFuture<Release> keep(EtcdLease lease, Duration keepFor) {
        Deadline end = Deadline.in(keepFor, ticker);
        return sessions.grant(keepFor)
                .thenCompose(leaseId ->
                        transactions.keep(lease.place().key(), lease.token().value(), leaseId))
                // Even if the outcome is unknown.
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
