package io.distlock.support;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts calls under way, so that closing can wait for them. Thread-safe. */
public final class CallsInFlight {

    private final AtomicInteger count = new AtomicInteger();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile boolean ending;

    public void begin() {
        count.incrementAndGet();
    }

    /** Called once for each {@link #begin()}. */
    public void end() {
        if (count.decrementAndGet() == 0 && ending && count.get() == 0) {
            drained.complete(null);
        }
    }

    /** Completes the first time that nothing is under way once this method has been called. */
    public CompletableFuture<Void> drained() {
        ending = true;
        // Calls that end from here on see the flag; those that ended before are no longer counted.
        if (count.get() == 0) {
            drained.complete(null);
        }
        return drained;
    }
}
