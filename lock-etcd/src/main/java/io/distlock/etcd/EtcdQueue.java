package io.distlock.etcd;

import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** What acquisitions share, and those among them that wait. Thread-safe. */
final class EtcdQueue {

    private static final Duration LONGEST_REAPING = Duration.ofHours(1);

    /** What an answer that was asked for in time may be late. */
    private static final Duration LATE_ANSWER = Duration.ofMillis(100);

    private final LockRuntime runtime;
    private final EtcdKeys keys;
    private final QueueCalls calls;
    private final Sessions sessions;
    private final Holdings holdings;
    private final Watches watches;
    private final Duration callTimeout;
    private final Set<EtcdAcquisition> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    EtcdQueue(
            LockRuntime runtime,
            EtcdKeys keys,
            QueueCalls calls,
            Sessions sessions,
            Holdings holdings,
            Watches watches,
            Duration callTimeout) {
        this.runtime = runtime;
        this.keys = keys;
        this.calls = calls;
        this.sessions = sessions;
        this.holdings = holdings;
        this.watches = watches;
        this.callTimeout = callTimeout;
    }

    CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        Optional<Grant> same = holdings.again(request);
        if (same.isPresent()) {
            return CompletableFuture.completedFuture(same);
        }
        EtcdAcquisition acquisition = new EtcdAcquisition(this, request);
        acquisition.advance();
        return acquisition;
    }

    boolean isClosed() {
        return closed;
    }

    LockRuntime runtime() {
        return runtime;
    }

    QueueCalls calls() {
        return calls;
    }

    Sessions sessions() {
        return sessions;
    }

    Holdings holdings() {
        return holdings;
    }

    Watches watches() {
        return watches;
    }

    Duration callTimeout() {
        return callTimeout;
    }

    Deadline limit(Duration time) {
        return Deadline.in(time, runtime.ticker());
    }

    /** A wait of zero gets a whole round trip; any other ends soon after its deadline, whatever the store does. */
    Duration answerLimit(LeaseRequest request) {
        Duration remaining = request.deadline().remaining();
        return remaining.isZero() ? callTimeout : Limits.shorter(remaining.plus(LATE_ANSWER), callTimeout);
    }

    /**
     * @param attempt which place of the acquisition it is
     */
    Place placeOf(LeaseRequest request, Session session, int attempt) {
        return new Place(
                request,
                keys.of(request.key()),
                keys.place(request.key(), request.mode(), session.id(), attempt, request.owner()),
                session,
                session.epoch());
    }

    /** Only acquisitions that find somebody ahead get here: an uncontended one costs no bookkeeping. */
    void enlist(EtcdAcquisition acquisition) {
        waiting.add(acquisition);
        if (closed) {
            acquisition.fail("the provider is closed");
        }
    }

    void delist(EtcdAcquisition acquisition) {
        waiting.remove(acquisition);
    }

    /** Sees to it, in the background, that a place goes that is known to be there. */
    void remove(Place place, long createRevision) {
        reap(place, () -> calls.leave(place.key(), createRevision));
    }

    /** Sees to it, in the background, that a place goes that may be there, or may still come. */
    void withdraw(Place place) {
        reap(place, () -> calls.withdraw(place));
    }

    /** Others may keep the session alive for long; the place goes with it at the latest. */
    private void reap(Place place, Supplier<CompletableFuture<Release>> remove) {
        LeaseRequest request = place.request();
        runtime.reaper()
                .reap(
                        "The place of " + request.owner() + " in the queue for '" + request.key() + "'",
                        LONGEST_REAPING,
                        // Asked once at least: a session that is lost by the clock alone may still be there.
                        () -> remove.get()
                                .exceptionally(failure -> Release.UNKNOWN)
                                .thenApply(release -> place.session().isLost() ? Release.RELEASED : release));
    }

    /** Fails whatever waits, and everything that comes later. */
    void close() {
        closed = true;
        waiting.forEach(acquisition -> acquisition.fail("the provider is closed"));
    }
}
