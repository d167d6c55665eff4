package io.distlock.etcd;

import io.distlock.LockUnavailableException;
import io.distlock.Release;
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

    private final LockRuntime runtime;
    private final EtcdKeys keys;
    private final QueueCalls calls;
    private final Sessions sessions;
    private final Ledger ledger;
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
            Ledger ledger,
            Holdings holdings,
            Watches watches,
            Duration callTimeout) {
        this.runtime = runtime;
        this.keys = keys;
        this.calls = calls;
        this.sessions = sessions;
        this.ledger = ledger;
        this.holdings = holdings;
        this.watches = watches;
        this.callTimeout = callTimeout;
    }

    CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        if (closed) {
            return CompletableFuture.failedFuture(
                    new LockUnavailableException(request.key(), Duration.ZERO, "the provider is closed", null));
        }
        Optional<Grant> same = holdings.again(request);
        if (same.isPresent()) {
            return CompletableFuture.completedFuture(same);
        }
        EtcdAcquisition acquisition = new EtcdAcquisition(this, request);
        acquisition.advance();
        return acquisition;
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

    Place placeOf(LeaseRequest request, Session session) {
        Place place = new Place(
                request,
                keys.of(request.key()),
                keys.place(request.key(), request.mode(), session.id(), request.owner()),
                keys.withdrawal(request.mode(), session.id(), request.owner()),
                session);
        ledger.enter(place);
        return place;
    }

    /** Only acquisitions that find somebody ahead get here: an uncontended one costs no bookkeeping. */
    void enlist(EtcdAcquisition acquisition, Place place) {
        waiting.add(acquisition);
        sessions.keepWhileWaiting(place.session());
        if (closed) {
            acquisition.fail("the provider is closed");
        }
    }

    void delist(EtcdAcquisition acquisition) {
        waiting.remove(acquisition);
    }

    /** The place has become a lock that is held. */
    Grant hold(EtcdLease lease) {
        sessions.waitedFor(lease.session());
        Grant grant = holdings.add(lease);
        ledger.leave(lease.place());
        return grant;
    }

    /** The place is gone, or somebody else sees to that. */
    void leave(Place place) {
        ledger.leave(place);
        sessions.waitedFor(place.session());
        sessions.leave(place.session());
    }

    /** Sees to it, in the background, that a place goes that is known to be there. */
    void remove(Place place, long createRevision) {
        reap(place, () -> calls.leave(place.key(), createRevision));
    }

    /** Sees to it, in the background, that a place goes that may be there, or may still come. */
    void withdraw(Place place) {
        place.session().suspect();
        // Definite either way: it was there, or can never come.
        reap(place, () -> calls.withdraw(place).thenApply(release -> Release.RELEASED));
    }

    private void reap(Place place, Supplier<CompletableFuture<Release>> remove) {
        LeaseRequest request = place.request();
        runtime.reaper()
                .reap(
                        "The place of " + request.owner() + " in the queue for '" + request.key() + "'",
                        request.timeToLive().plus(callTimeout),
                        remove);
    }

    /** Fails whatever waits, and everything that comes later. */
    void close() {
        closed = true;
        waiting.forEach(acquisition -> acquisition.fail("the provider is closed"));
    }
}
