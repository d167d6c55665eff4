package io.distlock.benchmarks.measure;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockOptions;
import io.distlock.benchmarks.store.Application;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Locks that one application holds for long, under the watchdog. For one thread. */
final class Holding implements AutoCloseable {

    private final LockClient locks;
    private final LockOptions options;
    private final AtomicInteger lossesReported = new AtomicInteger();
    private final List<HeldLock> held;

    private Holding(Application application, int count, Duration lease) {
        this.locks = application.locks();
        // One for all, as with a method that is annotated.
        this.options = locks.options().withLeaseTime(lease);
        this.held = new ArrayList<>(count);
        locks.addListener(event -> {
            if (event instanceof LockEvent.Lost) {
                lossesReported.incrementAndGet();
            }
        });
    }

    /** Ready to take that many, and holding none. */
    static Holding ofNone(Application application, int count, Duration lease) {
        return new Holding(application, count, lease);
    }

    /** Takes the rest, each on an item of its own. */
    void fill(int count) {
        for (int item = held.size(); item < count; item++) {
            held.add(locks.acquire(locks.request("held", Integer.toString(item)).withOptions(options)));
        }
    }

    /** Takes locks on other items and gives them back at once. */
    void shortCycles(int count) {
        for (int cycle = 0; cycle < count; cycle++) {
            locks.acquire(locks.request("short", Integer.toString(cycle)).withOptions(options))
                    .close();
        }
    }

    /** How many are lost by any account: a listener was told so, the handle says so, or the store does. */
    long lost() {
        long byHandle = held.stream().filter(lock -> !lock.isHeld()).count();
        long byStore = held.stream()
                .filter(lock -> !locks.isCurrent(lock.sequencers().get(0)))
                .count();
        return Math.max(lossesReported.get(), Math.max(byHandle, byStore));
    }

    /** Gives back what has not been lost. */
    @Override
    public void close() {
        held.forEach(HeldLock::release);
        held.clear();
    }
}
