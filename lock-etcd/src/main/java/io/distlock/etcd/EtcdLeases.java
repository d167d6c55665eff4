package io.distlock.etcd;

import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.etcd.client.EtcdCallException;
import io.distlock.etcd.watch.SharedWatches;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks held through this provider. A session may live forever, being extended for others, so a lock that was not
 * extended within its own time to live is deleted here. Thread-safe.
 */
final class EtcdLeases {

    private static final Logger log = LoggerFactory.getLogger(EtcdLeases.class);

    private static final long BETWEEN_SWEEPS = Duration.ofMillis(50).toNanos();

    private final QueueTransactions transactions;
    final SharedWatches watches;
    final Ticker ticker;
    private final SessionPool sessions;
    private final LockRuntime runtime;
    private final NavigableMap<EtcdLease.Id, EtcdLease> held = new ConcurrentSkipListMap<>(EtcdLease.Id.ORDER);
    /** One timer for all: an entry for each would take more memory than the rest of it. */
    private volatile @Nullable Long sweepNanos;

    private LockScheduler.Scheduled timer = () -> {};

    /** Watched, but perhaps deleted before. After a stream of watches has broken, these are all locks at once. */
    private final Queue<EtcdLease> unchecked = new ConcurrentLinkedQueue<>();

    /** Fewer once a server refuses so many: it allows 128 operations in one transaction unless it is set to less. */
    private volatile int mostChecked = 100;

    private final AtomicBoolean checking = new AtomicBoolean();

    EtcdLeases(QueueTransactions transactions, SessionPool sessions, SharedWatches watches, LockRuntime runtime) {
        this.transactions = transactions;
        this.sessions = sessions;
        this.watches = watches;
        this.runtime = runtime;
        this.ticker = runtime.ticker();
    }

    /** The lock takes over the acquisition's use of the session. */
    Grant add(QueuePlace place, long createRevision) {
        Session session = place.session();
        EtcdLease lock = new EtcdLease(this, place, createRevision, ticker.nanos());
        Moment since = session.validSince(lock.renewedTimeToLive());
        EtcdLease known = held.putIfAbsent(lock.id, lock);
        if (known != null) {
            // The same owner has asked again, and already uses the session.
            sessions.leave(session);
            return new Grant(known, since);
        }
        session.hold();
        dueBy(lock.dueNanos);
        return new Grant(lock, since);
    }

    Optional<Grant> again(LeaseRequest request) {
        return Optional.ofNullable(held.get(EtcdLease.Id.of(request)))
                .filter(lock -> !lock.session.isLost())
                .map(lock -> new Grant(lock, lock.session.validSince(lock.renewedTimeToLive())));
    }

    ByteSequence key(EtcdLease lock) {
        return transactions.keys().place(lock.key(), lock.mode(), lock.session.id(), lock.attempt, lock.owner());
    }

    private boolean isHeld(EtcdLease lock) {
        return held.get(lock.id) == lock;
    }

    /** The key of a grant that is held here. */
    Optional<ByteSequence> place(Sequencer grant) {
        return held.tailMap(new EtcdLease.Id(grant.key(), grant.mode(), "")).values().stream()
                .takeWhile(lock -> lock.key().equals(grant.key()))
                .filter(lock -> lock.createRevision == grant.token().value())
                .map(this::key)
                .findFirst();
    }

    void onLoss(EtcdLease lock, Runnable lost) {
        lock.onLoss = lost;
        // It may have gone before there was a listener.
        if (!isHeld(lock)) {
            lost.run();
        }
    }

    /** The server no longer has it. */
    void remove(EtcdLease lock) {
        if (forget(lock)) {
            sessions.leave(lock.session);
            lock.onLoss.run();
        }
    }

    /** False if it was not held any more. */
    private boolean forget(EtcdLease lock) {
        if (!held.remove(lock.id, lock)) {
            return false;
        }
        lock.end();
        lock.session.letGo();
        return true;
    }

    void dueBy(long nanos) {
        if (isSweptBy(nanos)) {
            return;
        }
        synchronized (held) {
            if (!isSweptBy(nanos)) {
                sweepNanos = nanos;
                timer.cancel();
                timer = runtime.scheduler()
                        .schedule(this::sweep, Duration.ofNanos(Math.max(0, nanos - ticker.nanos())));
            }
        }
    }

    private boolean isSweptBy(long nanos) {
        Long planned = sweepNanos;
        return planned != null && nanos - planned >= 0;
    }

    private void sweep() {
        long now = ticker.nanos();
        // Before looking at the locks: one that is added meanwhile brings it forward.
        sweepNanos = null;
        for (EtcdLease each : held.values()) {
            try {
                lookAfter(each, now);
            } catch (RuntimeException failure) {
                // The others still have their turn, now and later.
                log.error("Looking after the lock '{}' failed", each.key(), failure);
            } finally {
                dueBy(now + Math.max(each.dueNanos - now, BETWEEN_SWEEPS));
            }
        }
    }

    private void lookAfter(EtcdLease lock, long now) {
        if (lock.isExpired(now)) {
            abandon(lock);
        } else if (lock.dueNanos - now <= 0) {
            lock.ensureWatched();
        }
    }

    /** One call at a time asks for many: thousands at once would hold up the keepalive that all of them rely on. */
    void check(EtcdLease lock) {
        unchecked.add(lock);
        checkNext();
    }

    private void checkNext() {
        if (unchecked.isEmpty() || !checking.compareAndSet(false, true)) {
            return;
        }
        Map<ByteSequence, EtcdLease> some = new HashMap<>();
        Stream.generate(unchecked::poll)
                .takeWhile(Objects::nonNull)
                .limit(mostChecked)
                .forEach(each -> some.put(key(each), each));
        transactions.gone(some.keySet()).whenComplete((gone, failure) -> {
            if (failure == null) {
                some.values().forEach(EtcdLease::checked);
                some.keySet().retainAll(gone);
                some.values().forEach(this::remove);
            } else if (some.size() > 1
                    && EtcdCallException.of("a look", failure).isRefusedAsTooLarge()) {
                mostChecked = some.size() / 2;
                unchecked.addAll(some.values());
            } else {
                some.values().forEach(EtcdLease::ensureWatchedLater);
            }
            checking.set(false);
            checkNext();
        });
    }

    /**
     * As {@link io.distlock.spi.LockProvider#renew}: one call for each session, however many locks use it, and none if
     * the session has just been extended for others.
     */
    void renew(Collection<Lease> leases, Renewal.Answers answers) {
        Map<Session, List<EtcdLease>> stale = new HashMap<>();
        for (Lease each : leases) {
            EtcdLease lock = (EtcdLease) each;
            if (!isHeld(lock) || isFresh(lock)) {
                answer(lock, lock.renewedTimeToLive(), Renewal.RENEWED, answers);
            } else {
                stale.computeIfAbsent(lock.session, session -> new ArrayList<>())
                        .add(lock);
            }
        }
        stale.forEach((session, all) -> session.keepAlive()
                .thenAccept(renewal -> all.forEach(lock -> answer(lock, lock.renewedTimeToLive(), renewal, answers))));
    }

    void extend(EtcdLease lock, Duration timeToLive, Renewal.Answers answers) {
        if (timeToLive.compareTo(lock.renewedTimeToLive()) > 0) {
            throw new IllegalArgumentException(
                    "etcd cannot extend lock '" + lock.key() + "' to " + LockOptions.text(timeToLive)
                            + ", lock-delay included: it was acquired for " + LockOptions.text(lock.renewedTimeToLive())
                            + ". Acquire it with a longer lease");
        }
        lock.session.keepAliveFromNow().thenAccept(renewal -> answer(lock, timeToLive, renewal, answers));
    }

    /** After an extension that is younger than a sixth of the lease, another call would gain nothing. */
    private boolean isFresh(EtcdLease lock) {
        return !lock.session.isLost()
                && lock.session.validSince(lock.renewedTimeToLive()).elapsedNanos(ticker)
                        <= lock.options.leaseTime().toNanos() / 6;
    }

    private void answer(EtcdLease lock, Duration timeToLive, Renewal renewal, Renewal.Answers answers) {
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

    /** Deletes it in the background: nobody extends it any more. */
    void abandon(EtcdLease lock) {
        String what = "The lock '" + lock.key() + "' of " + lock.owner() + ", which is no longer extended";
        runtime.reaper().reap(what, lock.renewedTimeToLive(), () -> release(lock, Duration.ZERO));
    }

    CompletableFuture<Release> release(EtcdLease lock, Duration keepFor) {
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

    private CompletableFuture<Release> delete(EtcdLease lock) {
        return transactions.leave(key(lock), lock.createRevision);
    }

    /**
     * Moves the key to a lease that nobody extends, so that it stays even if this process ends now. As etcd's leases last a
     * second or two too long, this process deletes the key on time.
     */
    private CompletableFuture<Release> keep(EtcdLease lock, Duration keepFor) {
        Deadline end = Deadline.in(keepFor, ticker);
        String what = "The lock '" + lock.key() + "' after its minimum hold time";
        Runnable delete = () -> runtime.reaper().reap(what, lock.renewedTimeToLive(), () -> delete(lock));
        return sessions.grant(keepFor)
                .thenCompose(leaseId -> transactions.keep(key(lock), lock.createRevision, leaseId))
                // Even if the outcome is unknown.
                .whenComplete((release, failure) -> runtime.scheduler().schedule(delete, end.remaining()));
    }
}
