package io.distlock.support;

import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The wait loop for stores without a queue: tries; if refused, subscribes and tries again; then parks until a release is
 * announced, the holder's time to live has passed, or the deadline. It does not poll while subscribed, except
 * for one try just before the deadline: a store that has died meanwhile is reported as unavailable, not as "held by another". After a failure it
 * retries after a jittered pause. The reaper removes what an acquisition without a grant may have left in the
 * store. Uses no thread of its own. Thread-safe.
 */
public final class AcquireLoop implements AutoCloseable {

    final LockRuntime runtime;
    final Duration callTimeout;
    private final Function<LeaseRequest, TryLockStore> stores;
    private final Set<Acquisition> waiting = ConcurrentHashMap.newKeySet();
    private final InFlight unsettled = new InFlight();
    private volatile boolean closed;

    public AcquireLoop(LockRuntime runtime, TryLockStore store, Duration callTimeout) {
        this(runtime, request -> store, callTimeout);
    }

    /**
     * @param stores called once for each acquisition, for a store that must remember its earlier tries
     */
    public AcquireLoop(LockRuntime runtime, Function<LeaseRequest, TryLockStore> stores, Duration callTimeout) {
        this.runtime = runtime;
        this.stores = stores;
        this.callTimeout = callTimeout;
    }

    /** As {@link io.distlock.spi.LockProvider#acquire}. */
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        Acquisition acquisition = new Acquisition(this, stores.apply(request), request);
        unsettled.begin();
        if (closed) {
            acquisition.failClosed();
        } else {
            acquisition.advance();
        }
        return acquisition;
    }

    /**
     * Fails all waiting and later acquisitions. Then waits up to two call timeouts for tries in progress and
     * withdrawals, since the connections are closed next.
     */
    @Override
    public void close() {
        closed = true;
        waiting.forEach(Acquisition::failClosed);
        Timeouts.await(unsettled.drained(), callTimeout);
        Timeouts.await(runtime.reaper().asked(), callTimeout);
    }

    /** Called for acquisitions that were refused or failed once: an uncontended one costs no bookkeeping. */
    void enlist(Acquisition acquisition) {
        waiting.add(acquisition);
        if (closed) {
            acquisition.failClosed();
        }
    }

    /** How many acquisitions were refused or failed once, and are not over. */
    int waiting() {
        return waiting.size();
    }

    /** The acquisition is over, except for what the reaper does. */
    void settled(Acquisition acquisition) {
        waiting.remove(acquisition);
        unsettled.end();
    }

    void withdraw(TryLockStore store, LeaseRequest request) {
        runtime.reaper()
                .reap(
                        "An attempt to take '" + request.key() + "' as " + request.owner(),
                        request.timeToLive().plus(callTimeout),
                        () -> runtime.timeouts().within(callTimeout, store.withdraw(request)));
    }
}
