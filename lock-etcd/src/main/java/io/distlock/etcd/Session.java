package io.distlock.etcd;

import io.distlock.etcd.client.EtcdCallException;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import io.distlock.support.DueSet;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An etcd lease, and the places attached to it. The time that the server grants runs from when the last call that extended it
 * left this machine. {@link SessionPool} keeps it alive while it is used, and gives it up. Thread-safe.
 */
final class Session implements DueSet.Due {

    /** etcd's own mod revision of a key that does not exist, as its comparisons take it. */
    static final long ABSENT = 0;

    /**
     * A session's key stays this long after a lock is released. By it, a waiter can tell a release from the loss of the
     * holder's lease.
     */
    static final Duration LINGER = Duration.ofSeconds(2);

    private final EtcdCalls calls;
    private final Ticker ticker;
    private final long id;
    private final boolean shared;
    private final Moment created;
    private final Runnable onLoss;

    /** Acquisitions in progress and held locks. */
    private final AtomicInteger users = new AtomicInteger();

    private final AtomicInteger locks = new AtomicInteger();

    private volatile Extension extension;
    private volatile boolean lost;
    private volatile long lastUsedNanos;
    private volatile long notBeforeNanos;
    private volatile long epoch = ABSENT;
    private @Nullable CompletableFuture<Renewal> inFlight;

    private record Extension(Moment since, Duration timeToLive) {}

    /** {@code onLoss} is called when it is found lost, perhaps under a monitor; not if it is given up. */
    Session(EtcdCalls calls, Ticker ticker, LeaseGrantResponse lease, boolean shared, Moment since, Runnable onLoss) {
        this.calls = calls;
        this.ticker = ticker;
        this.id = lease.getID();
        this.shared = shared;
        this.created = since;
        this.onLoss = onLoss;
        this.extension = new Extension(since, Duration.ofSeconds(lease.getTTL()));
        this.lastUsedNanos = since.nanos();
        this.notBeforeNanos = since.nanos();
    }

    long id() {
        return id;
    }

    boolean isShared() {
        return shared;
    }

    /** Gone from the server with all its keys, or not extended for its whole time, which is final once it is seen. */
    boolean isLost() {
        Extension last = extension;
        if (last.since().elapsedNanos(ticker) > last.timeToLive().toNanos()) {
            lost();
        }
        return lost;
    }

    void lost() {
        if (!lost) {
            lost = true;
            onLoss.run();
        }
    }

    void giveUp() {
        lost = true;
    }

    /** The mod revision of its key, as far as known: a request to take a place compares it. */
    long epoch() {
        return epoch;
    }

    /**
     * The answer to a request that knew an epoch. A late answer may be older than an earlier one, but not than its own request,
     * unless the store was restored from a snapshot: then nobody knows which of the session's keys exist.
     */
    synchronized void epoch(long known, long seen) {
        if (seen != ABSENT && seen < known) {
            lost();
        } else if (seen == ABSENT || seen > epoch) {
            epoch = seen;
        }
    }

    Session use() {
        users.incrementAndGet();
        lastUsedNanos = ticker.nanos();
        return this;
    }

    void leave() {
        lastUsedNanos = ticker.nanos();
        users.decrementAndGet();
    }

    /** One of its users now holds a lock. */
    void hold() {
        locks.incrementAndGet();
    }

    void letGo() {
        locks.decrementAndGet();
    }

    boolean isHeld() {
        return locks.get() > 0;
    }

    boolean isInUse() {
        return users.get() > 0;
    }

    boolean isIdle() {
        return !isInUse() && isUnusedFor(isShared() ? extension.timeToLive() : LINGER);
    }

    boolean isUnusedFor(Duration time) {
        return ticker.nanos() - lastUsedNanos >= time.toNanos();
    }

    /** When a lock's own, shorter time may start: as late as possible, while the session still outlasts it. */
    Moment validSince(Duration timeToLive) {
        Extension last = extension;
        Moment now = ticker.now();
        long slack = last.timeToLive().minus(timeToLive).toNanos();
        if (last.since().elapsedNanos(ticker) <= slack) {
            return now;
        }
        return new Moment(
                last.since().nanos() + slack, last.since().wallMillis() + TimeUnit.NANOSECONDS.toMillis(slack));
    }

    /** For diagnostics, with the lease's id as etcdctl shows it. */
    String describe() {
        Extension last = extension;
        return Long.toHexString(id) + ": " + last.timeToLive().toSeconds() + " s, "
                + seconds(created) + " s old, extended "
                + seconds(last.since()) + " s ago";
    }

    private long seconds(Moment since) {
        return TimeUnit.NANOSECONDS.toSeconds(since.elapsedNanos(ticker));
    }

    /** When to keep it alive for waiters and later acquisitions, or when to give it up. */
    @Override
    public long dueNanos() {
        if (!isShared() && !isInUse()) {
            return lastUsedNanos + LINGER.toNanos();
        }
        Extension last = extension;
        long due = last.since().nanos() + last.timeToLive().toNanos() / 4;
        return due - notBeforeNanos < 0 ? notBeforeNanos : due;
    }

    /** Extends it; concurrent callers share one call. {@link Renewal#NOT_OWNER} means that it is lost. */
    CompletableFuture<Renewal> keepAlive() {
        CompletableFuture<Renewal> result = new CompletableFuture<>();
        Moment since;
        synchronized (this) {
            since = ticker.now();
            notBeforeNanos = since.nanos() + extension.timeToLive().toNanos() / 20;
            if (inFlight != null) {
                return inFlight;
            }
            inFlight = result;
        }
        CompletableFuture<Renewal> answer = isLost()
                ? CompletableFuture.completedFuture(Renewal.NOT_OWNER)
                : calls.keepAlive(id, extension.timeToLive().dividedBy(6))
                        .thenApply(extended -> extended(since, Duration.ofSeconds(extended.getTTL())))
                        .exceptionally(this::notExtended);
        answer.thenAccept(renewal -> {
            synchronized (this) {
                inFlight = null;
            }
            result.complete(renewal);
        });
        return result;
    }

    private Renewal extended(Moment since, Duration timeToLive) {
        if (lost) {
            return Renewal.NOT_OWNER;
        }
        extension = new Extension(since, timeToLive);
        return Renewal.RENEWED;
    }

    private Renewal notExtended(Throwable failure) {
        if (EtcdCallException.of("a keepalive", failure).isLeaseNotFound()) {
            lost();
        }
        return lost ? Renewal.NOT_OWNER : Renewal.UNKNOWN;
    }

    /** As {@link #keepAlive}, by a request sent after this call. */
    CompletableFuture<Renewal> keepAliveFromNow() {
        CompletableFuture<Renewal> earlier;
        synchronized (this) {
            earlier = inFlight;
        }
        return earlier == null ? keepAlive() : earlier.thenCompose(answered -> keepAlive());
    }
}
