package io.distlock.benchmarks.capacity;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockUnavailableException;
import io.distlock.benchmarks.capacity.Growth.Burst;
import io.distlock.benchmarks.measure.Stopwatch;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Store;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Many locks, held while nothing answers: all renewals that were due meanwhile are due at once afterwards. */
final class HeldThrough {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final int locks;
    private final Duration lease;
    private final Duration stall;

    /**
     * Measures so many locks.
     *
     * @param lease renewals of each are due after a third of it: some always are in a stall
     * @param stall for how long nothing passes
     */
    HeldThrough(int locks, Duration lease, Duration stall) {
        this.locks = locks;
        this.lease = lease;
        this.stall = stall;
    }

    /** What the network does, with locks of a new client each. */
    List<Burst> on(Store store) {
        return List.of(
                behindProxies(store, "a stall of %d ms".formatted(stall.toMillis()), this::stall),
                behindProxies(store, "all connections cut", proxies -> proxies.forEach(FaultProxy::cut)));
    }

    /** The death of a leader, after which the servers elect another. */
    Burst on(Ensemble servers) {
        try (Application application = servers.application()) {
            return through(
                    "the leader killed",
                    application.locks(),
                    servers.killLeader().orElseThrow());
        }
    }

    private Burst behindProxies(Store store, String what, Consumer<List<FaultProxy>> event) {
        List<FaultProxy> proxies = new ArrayList<>();
        try (Application application = store.applicationThrough(proxies)) {
            return through(what, application.locks(), () -> event.accept(proxies));
        }
    }

    private void stall(List<FaultProxy> proxies) {
        proxies.forEach(FaultProxy::freeze);
        Stopwatch.pause(stall);
        proxies.forEach(FaultProxy::thaw);
    }

    private Burst through(String what, LockClient client, Runnable event) {
        List<HeldLock> held = LockThreads.hold(client, locks, client.options().withLeaseTime(lease));
        // Until their renewals are spread, as in a client that runs.
        Stopwatch.pause(lease.dividedBy(2));
        event.run();
        Stopwatch watch = Stopwatch.start();
        while (!isGranted(client, PATIENCE.minusNanos(watch.nanos()))) {
            Thread.onSpinWait();
        }
        long millis = Math.round(Stopwatch.millis((double) watch.nanos()));
        // What is lost by then is lost by the event: each was to be renewed meanwhile.
        Stopwatch.pause(lease);
        long lost = held.stream().filter(lock -> !lock.isHeld()).count();
        LockThreads.release(held);
        return new Burst(what, locks, Math.toIntExact(lost), millis);
    }

    private static boolean isGranted(LockClient client, Duration left) {
        if (left.isNegative()) {
            throw new IllegalStateException("no lock was granted within " + PATIENCE + " after the event");
        }
        try {
            client.acquire(client.request("after-the-event")).close();
            return true;
        } catch (LockUnavailableException silent) {
            return false;
        }
    }
}
