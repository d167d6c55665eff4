package io.distlock.support;

import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Waiting, for stores that know no queue: try; if refused, subscribe and try again; then park until a release is
 * announced, the holder's time to live has passed, or the deadline. No polling while the subscription lives, but for
 * one last look just before the deadline: a store that has died meanwhile has not said "held by another". A store that
 * fails is asked again after a jittered pause. Costs no thread. Thread-safe.
 *
 * <p>However an acquisition ends without a grant (deadline, cancellation, failure), what its tries may have left at
 * the store goes to the reaper.
 */
public final class AcquireLoop implements AutoCloseable {

    private final LockRuntime runtime;
    private final Function<LeaseRequest, TryLockStore> stores;
    private final Duration callTimeout;
    private final Set<Acquisition> waiting = ConcurrentHashMap.newKeySet();
    private final InFlight unsettled = new InFlight();
    private volatile boolean closed;

    public AcquireLoop(LockRuntime runtime, TryLockStore store, Duration callTimeout) {
        this(runtime, request -> store, callTimeout);
    }

    /**
     * @param stores called once for each acquisition: for a store that has to remember its earlier tries
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
            acquisition.fail("the provider is closed", null);
        } else {
            acquisition.tryOnce();
        }
        return acquisition;
    }

    /**
     * Fails whatever waits, and everything that comes later. Then waits, no longer than two calls may take, for tries
     * that are under way and for what has to be withdrawn: the connections are closed next.
     */
    @Override
    public void close() {
        closed = true;
        waiting.forEach(acquisition -> acquisition.fail("the provider is closed", null));
        await(unsettled.drained());
        await(runtime.reaper().asked());
    }

    private void await(CompletableFuture<Void> end) {
        try {
            end.get(callTimeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException notInTime) {
            // The store is silent: what may have been left there expires.
        }
    }

    LockRuntime runtime() {
        return runtime;
    }

    Duration callTimeout() {
        return callTimeout;
    }

    /** Only acquisitions that were refused or failed once get here: an uncontended one costs no bookkeeping. */
    void enlist(Acquisition acquisition) {
        waiting.add(acquisition);
        if (closed) {
            acquisition.fail("the provider is closed", null);
        }
    }

    /** How many were refused or failed once, and are not over. */
    int waiting() {
        return waiting.size();
    }

    /** Nothing of it is under way any more, but for what the reaper does. */
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
