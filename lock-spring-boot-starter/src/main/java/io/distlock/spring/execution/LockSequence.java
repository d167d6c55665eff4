package io.distlock.spring.execution;

import io.distlock.spi.Ticker;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The locks of one call, in the order in which it takes them. Each wait time counts from the beginning of the call, so
 * that the call waits no longer than the longest of them. For one call, whose steps run in sequence.
 */
final class LockSequence {

    private final List<LockTask> tasks;
    private final List<ReferenceCountedLock> granted;
    private final Supplier<Ticker> ticker;
    private final long startedNanos;
    private int taken;

    /** Begins now. Gets the ticker only if there are several locks. */
    LockSequence(List<LockTask> tasks, Supplier<Ticker> ticker) {
        this.tasks = tasks;
        this.granted = new ArrayList<>(tasks.size());
        this.ticker = ticker;
        this.startedNanos = tasks.size() > 1 ? ticker.get().nanos() : 0;
    }

    boolean hasNext() {
        return taken < tasks.size();
    }

    /** The next lock to take, with what is left of its wait time. */
    LockTask next() {
        LockTask task = tasks.get(taken++);
        return taken == 1 ? task : task.waitedFor(Duration.ofNanos(ticker.get().nanos() - startedNanos));
    }

    /** Records a granted lock, unless it was taken for an enclosing call. */
    void granted(Reference reference) {
        if (reference.isOutermost()) {
            granted.add(reference.target());
        }
    }

    /** Hands the locks to the enclosing scope once all are granted: it keeps none if a later one is not acquired. */
    void keepIn(EnclosingScope scope) {
        granted.forEach(scope::keep);
    }
}
