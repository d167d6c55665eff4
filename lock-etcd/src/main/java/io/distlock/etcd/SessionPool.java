package io.distlock.etcd;

import io.distlock.etcd.client.EtcdCalls;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Ticker;
import io.distlock.support.DueSet;
import io.distlock.support.LockRuntime;
import io.distlock.support.Timeouts;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Provides sessions: one for all locks with the same time to live. Keeps them alive while they are
 * used, shared ones for one more time to live, and then revokes them. Thread-safe.
 */
final class SessionPool {

    private final EtcdCalls calls;
    private final QueueTransactions transactions;
    private final Ticker ticker;
    private final Timeouts timeouts;
    private final DueSet<Session> kept;

    // Guarded by the monitor, as is each step from "unused" to "given up".
    private final Map<Long, CompletableFuture<Session>> shared = new HashMap<>();
    private boolean closed;

    private volatile Optional<Long> lastLossNanos = Optional.empty();

    SessionPool(EtcdCalls calls, QueueTransactions transactions, LockRuntime runtime) {
        this.calls = calls;
        this.transactions = transactions;
        this.ticker = runtime.ticker();
        this.timeouts = runtime.timeouts();
        this.kept = new DueSet<>(runtime.ticker(), runtime.scheduler(), due -> due.forEach(this::keep));
    }

    /** A session that outlasts the request's time to live, for the caller to use until it calls {@link #leave}. */
    CompletableFuture<Session> enter(LeaseRequest request, Duration limit) {
        long seconds = seconds(request.timeToLive());
        // A minimum hold time that is longer than the lease must last without being extended, on a lease of its own.
        boolean ordinary = request.timeToLive().equals(request.renewedTimeToLive());
        CompletableFuture<Session> session = ordinary ? enterShared(seconds) : grant(seconds, false);
        CompletableFuture<Session> inTime = timeouts.within(limit, session);
        inTime.exceptionally(failure -> {
            session.thenAccept(this::leave);
            return null;
        });
        return inTime;
    }

    private CompletableFuture<Session> enterShared(long seconds) {
        CompletableFuture<Session> session = new CompletableFuture<>();
        synchronized (this) {
            CompletableFuture<Session> known = shared.get(seconds);
            if (known != null && (!known.isDone() || isReady(known))) {
                // A ready one is used at once, under the monitor: it is not given up in between.
                return known.thenApply(Session::use);
            }
            shared.put(seconds, session);
        }
        grant(seconds, true)
                .handle((granted, failure) ->
                        failure == null ? session.complete(granted) : session.completeExceptionally(failure));
        return session;
    }

    private static boolean isReady(CompletableFuture<Session> session) {
        return session.isDone()
                && !session.isCompletedExceptionally()
                && !session.join().isLost();
    }

    /** How long ago a session was found lost; empty if none was. */
    Optional<Duration> sinceLoss() {
        return lastLossNanos.map(last -> Duration.ofNanos(ticker.nanos() - last));
    }

    private void keepUnlessClosed(Session granted) {
        synchronized (this) {
            if (!closed) {
                kept.add(granted);
                return;
            }
        }
        end(granted, Session.LINGER);
    }

    private CompletableFuture<Session> grant(long seconds, boolean toShare) {
        Moment since = ticker.now();
        Runnable onLoss = () -> lastLossNanos = Optional.of(ticker.nanos());
        return calls.grant(seconds).thenApply(granted -> {
            Session session = new Session(calls, ticker, granted, toShare, since, onLoss);
            keepUnlessClosed(session.use());
            return session;
        });
    }

    /** An etcd lease that expires by itself, no sooner than requested. */
    CompletableFuture<Long> grant(Duration time) {
        return calls.grant(seconds(time)).thenApply(LeaseGrantResponse::getID);
    }

    /** etcd counts in whole seconds. */
    static long seconds(Duration time) {
        return time.plusNanos(999_999_999).toSeconds();
    }

    /** An unshared session ends soon after. */
    void leave(Session session) {
        session.leave();
        if (!session.isShared()) {
            keepUnlessClosed(session);
        }
    }

    /** The user's key may stay: an unshared session is no longer extended, nor given up. */
    void leaveToRunOut(Session session) {
        session.leave();
        if (!session.isShared()) {
            kept.remove(session);
        }
    }

    private void keep(Session session) {
        if (session.isLost() && !session.isHeld()) {
            // Lost only by the clock, it may still exist, with places ahead of others.
            kept.remove(session);
            revoke(session);
        } else if (session.isLost() || isGivenUp(session)) {
            kept.remove(session);
        } else {
            session.keepAlive();
        }
    }

    private boolean isGivenUp(Session session) {
        synchronized (this) {
            if (!session.isIdle()) {
                return false;
            }
            shared.values().removeIf(each -> isReady(each) && each.join() == session);
        }
        revoke(session);
        return true;
    }

    /** A session that cannot be revoked expires. */
    private CompletableFuture<?> revoke(Session session) {
        session.giveUp();
        return calls.revoke(session.id()).exceptionally(failure -> null);
    }

    synchronized List<String> describe() {
        return shared.values().stream()
                .filter(SessionPool::isReady)
                .map(each -> each.join().describe())
                .sorted()
                .toList();
    }

    /** Gives up all sessions without a lock, with the places of waiters; the others expire by themselves. */
    CompletableFuture<Void> close(Duration limit) {
        List<Session> unheld;
        synchronized (this) {
            closed = true;
            unheld =
                    kept.members().stream().filter(session -> !session.isHeld()).toList();
            kept.members().forEach(kept::remove);
            shared.clear();
        }
        return CompletableFuture.allOf(
                unheld.stream().map(session -> end(session, limit.dividedBy(2))).toArray(CompletableFuture<?>[]::new));
    }

    /**
     * If a lock may just have been released, the key stays for {@link Session#LINGER}. Not if a place remains, which may wait
     * out the grace of a lost lease: it would seem to have left normally, and the next waiter would not wait.
     */
    private CompletableFuture<?> end(Session session, Duration limit) {
        CompletableFuture<?> keyKept = session.isInUse() || session.isUnusedFor(Session.LINGER)
                ? CompletableFuture.completedFuture(null)
                : grant(Session.LINGER).thenCompose(leaseId -> transactions.keepSessionKey(session, leaseId));
        return timeouts.within(limit, keyKept)
                .handle((kept, failure) -> revoke(session))
                .thenCompose(revoked -> revoked);
    }
}
