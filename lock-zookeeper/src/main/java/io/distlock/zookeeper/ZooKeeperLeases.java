package io.distlock.zookeeper;

import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.support.DueSet;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The locks held through this provider. A session may live forever, being confirmed for others, and the driver keeps it alive by
 * itself, so a lock that was not extended within its own time to live is deleted here. Thread-safe.
 */
final class ZooKeeperLeases {

    /** Before a watch is tried again. */
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final LockRuntime runtime;
    private final ZooKeeperSessions sessions;
    private final Map<ZooKeeperLease.Id, ZooKeeperLease> held = new ConcurrentHashMap<>();
    private final DueSet<ZooKeeperLease> due;

    ZooKeeperLeases(LockRuntime runtime, ZooKeeperSessions sessions) {
        this.runtime = runtime;
        this.sessions = sessions;
        this.due = new DueSet<>(runtime.ticker(), runtime.scheduler(), some -> some.forEach(this::lookAfter));
    }

    /** The lock takes over the acquisition's use of the session. */
    Grant add(QueuePlace place) {
        Moment since = place.session().validSince();
        ZooKeeperLease lease = new ZooKeeperLease(place, since, runtime.ticker().nanos(), this::watch);
        ZooKeeperLease known = held.putIfAbsent(lease.id, lease);
        if (known != null) {
            // The same owner has asked twice at once: the first grant stands.
            place.session().leave();
            place.session().calls().delete(place.path());
            return new Grant(known, since);
        }
        place.session().hold();
        due.add(lease);
        if (place.session().isLost()) {
            remove(lease);
        }
        return new Grant(lease, since);
    }

    Optional<Grant> again(LeaseRequest request) {
        return Optional.ofNullable(held.get(ZooKeeperLease.Id.of(request)))
                .filter(lease -> !lease.session().isLost())
                .map(lease -> new Grant(lease, lease.session().validSince()));
    }

    private boolean isHeld(ZooKeeperLease lease) {
        return held.get(lease.id) == lease;
    }

    void onLoss(ZooKeeperLease lease, Runnable lost) {
        lease.onLoss = lost;
        // It may have gone before there was a listener.
        if (!isHeld(lease)) {
            lost.run();
        }
    }

    /** All locks of a session. */
    void lost(ZooKeeperSession session) {
        held.values().stream().filter(each -> each.session() == session).forEach(this::remove);
    }

    /** The server no longer has it. */
    private void remove(ZooKeeperLease lease) {
        if (forget(lease)) {
            lease.session().leave();
            lease.onLoss.run();
        }
    }

    /** False if it was not held any more. */
    private boolean forget(ZooKeeperLease lease) {
        if (!held.remove(lease.id, lease)) {
            return false;
        }
        due.remove(lease);
        lease.session().calls().unwatch(lease.place.path(), lease.onChange);
        lease.session().letGo();
        return true;
    }

    private void lookAfter(ZooKeeperLease lease) {
        if (lease.isExpired(runtime.ticker().nanos())) {
            abandon(lease);
        } else {
            watch(lease);
        }
    }

    private void watch(ZooKeeperLease lease) {
        if (!isHeld(lease)) {
            return;
        }
        // A session's end tells of all its locks.
        lease.watched(true, 0);
        lease.session().calls().watch(lease.place.path(), lease.onChange).whenComplete((content, failure) -> {
            if (failure == null) {
                return;
            }
            if (ZooKeeperCallException.of(failure).isNoNode()) {
                remove(lease);
            } else {
                lease.watched(false, runtime.ticker().nanos() + PAUSE.toNanos());
                due.reconsider(lease);
            }
        });
    }

    /** As {@link io.distlock.spi.LockProvider#renew}: no call while the session has just been confirmed for others. */
    void renew(Collection<Lease> leases, Renewal.Answers answers) {
        for (Lease each : leases) {
            ZooKeeperLease lease = (ZooKeeperLease) each;
            ZooKeeperSession session = lease.session();
            if (!isHeld(lease) || session.isFresh()) {
                answer(lease, lease.renewedTimeToLive(), Renewal.RENEWED, answers);
            } else {
                session.confirm().thenAccept(renewal -> answer(lease, lease.renewedTimeToLive(), renewal, answers));
            }
        }
    }

    void extend(ZooKeeperLease lease, Duration timeToLive, Renewal.Answers answers) {
        if (timeToLive.compareTo(lease.renewedTimeToLive()) > 0) {
            throw new IllegalArgumentException("ZooKeeper cannot extend lock '" + lease.key() + "' to "
                    + LockOptions.text(timeToLive)
                    + ", lock-delay included: it was acquired for " + LockOptions.text(lease.renewedTimeToLive())
                    + ". Acquire it with a longer lease");
        }
        lease.session().confirm().thenAccept(renewal -> answer(lease, timeToLive, renewal, answers));
    }

    private void answer(ZooKeeperLease lease, Duration timeToLive, Renewal renewal, Renewal.Answers answers) {
        if (renewal == Renewal.NOT_OWNER || !isHeld(lease)) {
            remove(lease);
            answers.answer(lease, Renewal.NOT_OWNER);
        } else if (renewal == Renewal.UNKNOWN) {
            answers.answer(lease, Renewal.UNKNOWN);
        } else {
            Moment since = lease.session().validSince();
            lease.extend(since, timeToLive);
            answers.renewedSince(lease, since);
        }
    }

    /** Deletes it in the background: nobody extends it any more. */
    void abandon(ZooKeeperLease lease) {
        String what = "The lock '" + lease.key() + "' of " + lease.owner() + ", which is no longer extended";
        runtime.reaper().reap(what, lease.renewedTimeToLive(), () -> release(lease, Duration.ZERO));
    }

    CompletableFuture<Release> release(ZooKeeperLease lease, Duration keepFor) {
        boolean wasHeld = forget(lease);
        CompletableFuture<Release> released = keepFor.compareTo(Duration.ZERO) > 0
                ? keep(lease, keepFor)
                : lease.session().calls().delete(lease.place.path());
        return released.whenComplete((outcome, never) -> {
            if (wasHeld) {
                lease.session().leave();
            }
        });
    }

    /**
     * Puts a node in its place that outlasts the session, and so this process. It is deleted on time by this process, or else by
     * the next waiter that finds it there.
     */
    private CompletableFuture<Release> keep(ZooKeeperLease lease, Duration keepFor) {
        Deadline end = Deadline.in(keepFor, runtime.ticker());
        String kept = lease.place.queue() + '/' + lease.place.node().kept(keepFor);
        String what = "The lock '" + lease.key() + "' after its minimum hold time";
        Runnable delete = () -> runtime.reaper()
                .reap(
                        what,
                        lease.renewedTimeToLive(),
                        () -> sessions.usual()
                                .thenCompose(session -> session.calls().delete(kept)));
        return lease.session()
                .calls()
                .replace(lease.place.path(), kept)
                // Even if the outcome is unknown.
                .whenComplete((release, never) -> runtime.scheduler().schedule(delete, end.remaining()));
    }
}
