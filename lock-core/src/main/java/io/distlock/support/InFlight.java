package io.distlock.support;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts what is under way, for an orderly end: what is closed next would cut it off. Thread-safe. */
public final class InFlight {

    private final AtomicInteger count = new AtomicInteger();
    private volatile @Nullable CompletableFuture<Void> drained;

    public void begin() {
        count.incrementAndGet();
    }

    /** To be called once for each {@link #begin()}. */
    public void end() {
        CompletableFuture<Void> awaited = count.decrementAndGet() == 0 ? drained : null;
        if (awaited != null) {
            awaited.complete(null);
        }
    }

    /** Completes when nothing is under way, at once if so now; to be asked for once. */
    public CompletableFuture<Void> drained() {
        CompletableFuture<Void> awaited = new CompletableFuture<>();
        drained = awaited;
        // Whoever ends from here on sees it; whoever has ended before is no longer counted.
        if (count.get() == 0) {
            awaited.complete(null);
        }
        return awaited;
    }
}
