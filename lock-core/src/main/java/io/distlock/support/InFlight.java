package io.distlock.support;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what is under way, for an orderly end: what is closed next would cut it off. Thread-safe. */
public final class InFlight {

    private final AtomicInteger count = new AtomicInteger();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile boolean ending;

    public void begin() {
        count.incrementAndGet();
    }

    /** To be called once for each {@link #begin()}. */
    public void end() {
        if (count.decrementAndGet() == 0 && ending && count.get() == 0) {
            drained.complete(null);
        }
    }

    /** Completes as soon as nothing is under way, counted from the first time that this is asked; at once if so now. */
    public CompletableFuture<Void> drained() {
        ending = true;
        // Whoever ends from here on sees it; whoever has ended before is no longer counted.
        if (count.get() == 0) {
            drained.complete(null);
        }
        return drained;
    }
}
