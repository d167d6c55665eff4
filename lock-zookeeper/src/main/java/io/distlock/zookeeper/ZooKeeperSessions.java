package io.distlock.zookeeper;

import io.distlock.LockOptions;
import io.distlock.support.DueSet;
import io.distlock.support.LockRuntime;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Provides sessions: one for all locks with the same time to live. Confirms them while they are used, and ends them some time
 * after. One, for locks with the usual lease, is always there, also for what needs no lock. Thread-safe.
 */
final class ZooKeeperSessions {

    private final LockRuntime runtime;
    private final ZooKeeperLockOptions options;
    private final ZooKeeperClients clients;
    private final Duration usual;
    private final DueSet<ZooKeeperSession> kept;
    private volatile Consumer<ZooKeeperSession> onLoss = session -> {};

    // Guarded by the monitor, as is each step from "unused" to "ended".
    private final Map<Duration, CompletableFuture<ZooKeeperSession>> open = new HashMap<>();
    private boolean closed;

    ZooKeeperSessions(LockRuntime runtime, ZooKeeperLockOptions options, ZooKeeperClients clients) {
        this.runtime = runtime;
        this.options = options;
        this.clients = clients;
        Duration lease = LockOptions.defaults().timeToLive();
        boolean allowed = options.session(lease).compareTo(options.longestSession()) <= 0;
        this.usual = allowed ? lease : options.longestSession().dividedBy(4);
        this.kept = new DueSet<>(runtime.ticker(), runtime.scheduler(), due -> due.forEach(this::keep));
    }

    void onLoss(Consumer<ZooKeeperSession> listener) {
        onLoss = listener;
    }

    /** A session that outlasts this time to live, for the caller to use until it calls {@link ZooKeeperSession#leave}. */
    CompletableFuture<ZooKeeperSession> enter(Duration timeToLive, Duration limit) {
        // In whole seconds, so that slightly different leases share one.
        CompletableFuture<ZooKeeperSession> entered =
                session(Duration.ofSeconds(timeToLive.plusNanos(999_999_999).toSeconds()));
        CompletableFuture<ZooKeeperSession> inTime = within(limit, entered);
        inTime.exceptionally(failure -> {
            entered.thenAccept(ZooKeeperSession::leave);
            return null;
        });
        return inTime;
    }

    private CompletableFuture<ZooKeeperSession> within(Duration limit, CompletableFuture<ZooKeeperSession> entered) {
        return runtime.timeouts()
                .within(limit, entered)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        ZooKeeperCallException.of(failure).isSilence()
                                ? ZooKeeperCallException.unreachable(clients.servers(), limit)
                                : failure));
    }

    /** The session for what needs no lock. */
    CompletableFuture<ZooKeeperSession> usual() {
        CompletableFuture<ZooKeeperSession> entered = session(usual).thenApply(session -> {
            session.leave();
            return session;
        });
        return within(options.callTimeout(), entered);
    }

    private CompletableFuture<ZooKeeperSession> session(Duration timeToLive) {
        CompletableFuture<ZooKeeperSession> opened = new CompletableFuture<>();
        synchronized (this) {
            CompletableFuture<ZooKeeperSession> known = open.get(timeToLive);
            if (known != null && (!known.isDone() || isReady(known))) {
                // A ready one is used at once, under the monitor: it is not ended in between.
                return known.thenApply(ZooKeeperSession::use);
            }
            open.put(timeToLive, opened);
        }
        connect(timeToLive, opened);
        return opened.thenApply(ZooKeeperSession::use);
    }

    private static boolean isReady(CompletableFuture<ZooKeeperSession> session) {
        return session.isDone()
                && !session.isCompletedExceptionally()
                && !session.join().isLost();
    }

    private void connect(Duration timeToLive, CompletableFuture<ZooKeeperSession> opened) {
        ZooKeeperSession session;
        try {
            session = new ZooKeeperSession(runtime, options, clients, timeToLive, lost -> onLoss.accept(lost));
        } catch (Exception unusable) {
            opened.completeExceptionally(ZooKeeperCallException.of(unusable));
            return;
        }
        if (!keepUnlessClosed(session)) {
            session.end();
        }
        session.established().whenComplete((ready, failure) -> {
            if (failure == null) {
                opened.complete(session);
                return;
            }
            kept.remove(session);
            session.end();
            ZooKeeperCallException said = ZooKeeperCallException.of(failure);
            if (said.isExpired() && !isClosed()) {
                connect(timeToLive, opened);
            } else {
                opened.completeExceptionally(said);
            }
        });
    }

    private synchronized boolean keepUnlessClosed(ZooKeeperSession session) {
        if (!closed) {
            kept.add(session);
        }
        return !closed;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void keep(ZooKeeperSession session) {
        if ((session.isLost() && !session.isHeld()) || isUnused(session)) {
            kept.remove(session);
            // Lost only by the clock, it may still exist, with nodes ahead of others.
            session.end();
        } else {
            session.confirm();
        }
    }

    private synchronized boolean isUnused(ZooKeeperSession session) {
        boolean unused = session.isIdle() && !session.timeToLive().equals(usual);
        if (unused) {
            open.values().removeIf(each -> isReady(each) && each.join() == session);
        }
        return unused;
    }

    synchronized List<String> describe() {
        return open.values().stream()
                .filter(ZooKeeperSessions::isReady)
                .map(each -> each.join().describe())
                .sorted()
                .toList();
    }

    /** Ends all sessions without a lock; the others expire by themselves. Takes at most this long. */
    void close(Duration limit) {
        List<ZooKeeperSession> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(kept.members());
            all.forEach(kept::remove);
            open.clear();
        }
        List<Thread> ending = new ArrayList<>();
        List<CompletableFuture<?>> flushed = new ArrayList<>();
        for (ZooKeeperSession each : all) {
            if (each.isHeld()) {
                // What its waiters have sent to leave their queues is carried out before this is answered.
                flushed.add(each.calls().flush().handle((answer, failure) -> {
                    each.abandon();
                    return answer;
                }));
            } else {
                ending.add(each.end());
            }
        }
        await(flushed, ending, limit);
    }

    private static void await(List<CompletableFuture<?>> flushed, List<Thread> ending, Duration limit) {
        Timeouts.await(CompletableFuture.allOf(flushed.toArray(CompletableFuture<?>[]::new)), limit);
        try {
            for (Thread each : ending) {
                each.join(Math.max(1, limit.toMillis() / ending.size()));
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
