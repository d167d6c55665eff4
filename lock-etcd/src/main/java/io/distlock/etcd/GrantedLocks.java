package io.distlock.etcd;

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
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks held through this provider. A session may live forever, being extended for others, so a lock that was not
 * extended within its own time to live is deleted here. Each key is watched, unless it is released soon: an operator may
 * delete it by hand, and a frozen leader may resume and revoke its lease. What the watch reports is verified, and so is
 * what may have happened while there was no watch. Thread-safe.
 */
final class GrantedLocks {

    private static final Logger log = LoggerFactory.getLogger(GrantedLocks.class);

    private static final long NEVER = Long.MAX_VALUE / 2;
    private static final long BETWEEN_SWEEPS = Duration.ofMillis(50).toNanos();

    private final QueueTransactions transactions;
    private final SessionPool sessions;
    private final Watches watches;
    private final LockRuntime runtime;
    private final Ticker ticker;
    private final Map<GrantedLock.Id, GrantedLock> held = new ConcurrentHashMap<>();
    /** When the next lock is due: one timer for all, since an entry for each would take more memory than the rest of it. */
    private volatile long sweepNanos;

    private LockScheduler.Scheduled timer = () -> {};

    GrantedLocks(QueueTransactions transactions, SessionPool sessions, Watches watches, LockRuntime runtime) {
        this.transactions = transactions;
        this.sessions = sessions;
        this.watches = watches;
        this.runtime = runtime;
        this.ticker = runtime.ticker();
        this.sweepNanos = ticker.nanos() + NEVER;
    }

    /** The lock takes over the acquisition's use of the session. */
    Grant add(Place place, long createRevision) {
        Session session = place.session();
        GrantedLock lock = new GrantedLock(this, place, createRevision, ticker.nanos());
        Moment since = session.validSince(lock.believed());
        GrantedLock known = held.putIfAbsent(lock.id, lock);
        if (known != null) {
            // The same owner has asked again, and already uses the session.
            sessions.leave(session);
            return new Grant(known, since);
        }
        session.hold();
        dueBy(lock.dueNanos());
        return new Grant(lock, since);
    }

    Optional<Grant> again(LeaseRequest request) {
        return Optional.ofNullable(held.get(GrantedLock.Id.of(request)))
                .filter(lock -> !lock.session.isLost())
                .map(lock -> new Grant(lock, lock.session.validSince(lock.believed())));
    }

    private boolean isHeld(GrantedLock lock) {
        return held.get(lock.id) == lock;
    }

    /** The key of a grant that is held here. */
    Optional<ByteSequence> place(Sequencer grant) {
        return held.values().stream()
                .filter(lock -> lock.createRevision == grant.token().value()
                        && lock.key().equals(grant.key()))
                .map(transactions::key)
                .findFirst();
    }

    void onLoss(GrantedLock lock, Runnable lost) {
        lock.onLoss(lost);
        // It may have gone before there was a listener.
        if (!isHeld(lock)) {
            lost.run();
        }
    }

    /** The server no longer has it. */
    private void remove(GrantedLock lock) {
        if (forget(lock)) {
            sessions.leave(lock.session);
            lock.notifyLost();
        }
    }

    /** True if this process held the lock until now. */
    private boolean forget(GrantedLock lock) {
        if (!held.remove(lock.id, lock)) {
            return false;
        }
        lock.end();
        lock.session.letGo();
        return true;
    }

    private void dueBy(long nanos) {
        if (nanos - sweepNanos >= 0) {
            return;
        }
        synchronized (held) {
            if (nanos - sweepNanos < 0) {
                sweepNanos = nanos;
                timer.cancel();
                timer = runtime.scheduler()
                        .schedule(this::sweep, Duration.ofNanos(Math.max(0, nanos - ticker.nanos())));
            }
        }
    }

    private void sweep() {
        long now = ticker.nanos();
        // Before looking at the locks: one that is added meanwhile brings it forward.
        sweepNanos = now + NEVER;
        for (GrantedLock each : held.values()) {
            try {
                lookAfter(each, now);
            } catch (RuntimeException failure) {
                // The others still have their turn, now and later.
                log.error("Looking after the lock '{}' failed", each.key(), failure);
            } finally {
                dueBy(now + Math.max(each.dueNanos() - now, BETWEEN_SWEEPS));
            }
        }
    }

    private void lookAfter(GrantedLock lock, long now) {
        if (lock.isExpired(now)) {
            abandon(lock);
        } else if (lock.dueNanos() - now <= 0 && !lock.isSettled()) {
            watch(lock);
        }
    }

    /**
     * As {@link io.distlock.spi.LockProvider#renew}: one call for each session, however many locks use it, and none if
     * the session has just been extended for others.
     */
    void renew(Collection<Lease> leases, Renewal.Answers answers) {
        IdentityHashMap<Session, List<GrantedLock>> stale = new IdentityHashMap<>();
        for (Lease each : leases) {
            GrantedLock lock = (GrantedLock) each;
            if (!isHeld(lock) || isFresh(lock)) {
                answer(lock, lock.believed(), Renewal.RENEWED, answers);
            } else {
                stale.computeIfAbsent(lock.session, session -> new ArrayList<>())
                        .add(lock);
            }
        }
        stale.forEach((session, all) -> session.keepAlive()
                .thenAccept(renewal -> all.forEach(lock -> answer(lock, lock.believed(), renewal, answers))));
    }

    void extend(GrantedLock lock, Duration timeToLive, Renewal.Answers answers) {
        if (timeToLive.compareTo(lock.believed()) > 0) {
            throw new IllegalArgumentException("etcd cannot extend lock '" + lock.key() + "' to " + timeToLive
                    + ", lock-delay included: it was acquired for " + lock.believed()
                    + ". Acquire it with a longer lease");
        }
        lock.session.keepAliveFromNow().thenAccept(renewal -> answer(lock, timeToLive, renewal, answers));
    }

    /** After an extension that is younger than a sixth of the lease, another call would gain nothing. */
    private boolean isFresh(GrantedLock lock) {
        Session session = lock.session;
        return !session.isLost()
                && session.validSince(lock.believed()).elapsedNanos(ticker)
                        <= lock.options.leaseTime().toNanos() / 6;
    }

    private void answer(GrantedLock lock, Duration timeToLive, Renewal renewal, Renewal.Answers answers) {
        if (renewal == Renewal.NOT_OWNER || !isHeld(lock)) {
            remove(lock);
            answers.answer(lock, Renewal.NOT_OWNER);
        } else if (renewal == Renewal.UNKNOWN) {
            answers.answer(lock, Renewal.UNKNOWN);
        } else {
            Moment since = lock.session.validSince(timeToLive);
            lock.extend(since, timeToLive);
            answers.renewedSince(lock, since);
        }
    }

    private void watch(GrantedLock lock) {
        if (lock.isWatched()) {
            // Only the check failed.
            look(lock);
            return;
        }
        Watches.WatchedKey watched = watches.watch(transactions.key(lock), 0, lock);
        lock.watched(watched);
        // Even if the watch fails.
        watched.whenComplete((standing, failure) -> look(lock));
    }

    void notified(GrantedLock lock) {
        if (lock.isWatched()) {
            look(lock);
        } else {
            watchAgain(lock);
        }
    }

    private void look(GrantedLock lock) {
        transactions.isThere(transactions.key(lock), lock.createRevision).whenComplete((there, failure) -> {
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
            dueBy(lock.dueNanos());
        }
    }

    /** Deletes it in the background: nobody extends it any more. */
    void abandon(GrantedLock lock) {
        runtime.reaper()
                .reap(
                        "The lock '" + lock.key() + "' of " + lock.owner() + ", which is no longer extended",
                        lock.believed(),
                        () -> release(lock, Duration.ZERO));
    }

    CompletableFuture<Release> release(GrantedLock lock, Duration keepFor) {
        boolean wasHeld = forget(lock);
        if (keepFor.compareTo(Duration.ZERO) > 0) {
            if (wasHeld) {
                sessions.leaveToRunOut(lock.session);
            }
            return keep(lock, keepFor).exceptionally(failure -> Release.UNKNOWN);
        }
        return delete(lock).exceptionally(failure -> Release.UNKNOWN).whenComplete((outcome, never) -> {
            if (wasHeld) {
                sessions.leave(lock.session);
            }
        });
    }

    private CompletableFuture<Release> delete(GrantedLock lock) {
        return transactions.leave(transactions.key(lock), lock.createRevision);
    }

    /**
     * Moves the key to a lease that nobody extends, so that it stays even if this process ends now. etcd leases last a
     * second or two longer than requested: this process deletes the key on time.
     */
    private CompletableFuture<Release> keep(GrantedLock lock, Duration keepFor) {
        Deadline end = Deadline.in(keepFor, ticker);
        return sessions.grant(keepFor)
                .thenCompose(leaseId -> transactions.keep(transactions.key(lock), lock.createRevision, leaseId))
                // Even if the outcome is unknown.
                .whenComplete(
                        (release, failure) -> runtime.scheduler().schedule(() -> endKeeping(lock), end.remaining()));
    }

    private void endKeeping(GrantedLock lock) {
        runtime.reaper()
                .reap("The lock '" + lock.key() + "' after its minimum hold time", lock.believed(), () -> delete(lock));
    }
}
