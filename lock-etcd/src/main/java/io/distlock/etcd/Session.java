package io.distlock.etcd;

import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import io.distlock.support.DueSet;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lease of etcd that places hang on. The time that the server grants, which may be longer than what was asked for, runs
 * from when the last call that extended it left this machine. Thread-safe.
 */
final class Session implements DueSet.Due {

    private final EtcdCalls calls;
    private final Ticker ticker;
    private final long id;
    private final boolean shared;
    private final Moment created;
    private final Function<Session, CompletionStage<?>> onExtended;

    /** Acquisitions on their way and locks that are held. */
    private final AtomicInteger users = new AtomicInteger();

    private final AtomicInteger locks = new AtomicInteger();

    private volatile Extension extension;
    private volatile CompletableFuture<?> lookedAt = CompletableFuture.completedFuture(null);
    private volatile boolean lost;
    private volatile long lastUsedNanos;
    private volatile long notBeforeNanos;
    private volatile boolean suspect;
    private Set<ByteSequence> strangers = Set.of();
    private @Nullable CompletableFuture<Renewal> inFlight;

    /** What the server said last: from when on, and for how long. */
    private record Extension(Moment since, Duration timeToLive) {}

    /**
     * @param onExtended looks what hangs on it, called whenever the server has extended it; never blocks
     */
    Session(
            EtcdCalls calls,
            Ticker ticker,
            long id,
            boolean shared,
            Moment since,
            Duration timeToLive,
            Function<Session, CompletionStage<?>> onExtended) {
        this.calls = calls;
        this.ticker = ticker;
        this.id = id;
        this.shared = shared;
        this.created = since;
        this.onExtended = onExtended;
        this.extension = new Extension(since, timeToLive);
        this.lastUsedNanos = since.nanos();
        this.notBeforeNanos = since.nanos();
    }

    long id() {
        return id;
    }

    /** Whether several locks may hang on it. */
    boolean isShared() {
        return shared;
    }

    /** Gone at the server, with all that hung on it. Final. */
    boolean isLost() {
        return lost;
    }

    void lost() {
        lost = true;
    }

    // --- what may hang on it unknown ---

    /** From now on, places may come to be that were given up. */
    void suspect() {
        suspect = true;
    }

    boolean isSuspect() {
        return suspect;
    }

    /** Keys that nobody knows of; answers those among them that were so the last time. */
    synchronized Set<ByteSequence> strangers(Set<ByteSequence> now) {
        Set<ByteSequence> twice = new HashSet<>(now);
        twice.retainAll(strangers);
        strangers = Set.copyOf(now);
        return twice;
    }

    // --- use ---

    void use() {
        users.incrementAndGet();
        lastUsedNanos = ticker.nanos();
    }

    void leave() {
        users.decrementAndGet();
    }

    /** A lock hangs on it: one of its users holds now. */
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
        return !isInUse()
                && ticker.nanos() - lastUsedNanos > extension.timeToLive().toNanos();
    }

    // --- time ---

    long seconds() {
        return extension.timeToLive().toSeconds();
    }

    /**
     * From when on a lock that believes in a shorter time than the session's may count it: not before now, and not
     * after the session would still outlast it.
     */
    Moment validSince(Duration believed) {
        Extension last = extension;
        Moment now = ticker.now();
        long slack = last.timeToLive().minus(believed).toNanos();
        if (last.since().elapsedNanos(ticker) <= slack) {
            return now;
        }
        return new Moment(
                last.since().nanos() + slack, last.since().wallMillis() + TimeUnit.NANOSECONDS.toMillis(slack));
    }

    /** For people: the lease's id as etcdctl shows it, its time, its age, and when it was last extended. */
    String describe() {
        Extension last = extension;
        return Long.toHexString(id) + ": " + last.timeToLive().toSeconds() + " s, "
                + seconds(created.elapsedNanos(ticker)) + " s old, extended "
                + seconds(last.since().elapsedNanos(ticker)) + " s ago";
    }

    private static long seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos);
    }

    /** When to keep it alive for those who only wait, and for those who come next. */
    @Override
    public long dueNanos() {
        Extension last = extension;
        long due = last.since().nanos() + last.timeToLive().toNanos() / 4;
        return due - notBeforeNanos < 0 ? notBeforeNanos : due;
    }

    /**
     * Asks the server to extend it; whoever asks while an answer is awaited gets that one. {@link Renewal#NOT_OWNER}
     * means that it is lost.
     */
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
        if (lost) {
            answered(result, Renewal.NOT_OWNER);
        } else {
            calls.keepAlive(id, extension.timeToLive().dividedBy(6)).whenComplete((answer, failure) -> {
                if (failure == null) {
                    extension = new Extension(since, Duration.ofSeconds(answer.getTTL()));
                    lookedAt = look();
                    answered(result, Renewal.RENEWED);
                } else if (CallFailure.of("a keepalive", failure).isLeaseNotFound()) {
                    lost = true;
                    answered(result, Renewal.NOT_OWNER);
                } else {
                    answered(result, Renewal.UNKNOWN);
                }
            });
        }
        return result;
    }

    private CompletableFuture<?> look() {
        try {
            return onExtended.apply(this).toCompletableFuture();
        } catch (RuntimeException broken) {
            return CompletableFuture.failedFuture(broken);
        }
    }

    /** Ends, one way or the other, when it was seen what hung on the session as it was extended last, or after that time. */
    CompletableFuture<?> lookedAt(Duration atMost) {
        return calls.within(atMost, lookedAt);
    }

    private void answered(CompletableFuture<Renewal> asked, Renewal renewal) {
        synchronized (this) {
            inFlight = null;
        }
        asked.complete(renewal);
    }

    @Override
    public String toString() {
        return "session " + Long.toHexString(id);
    }
}
