package io.distlock.tck;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A witness of exclusion: a count that is read and then written, which loses updates if two clients do so at once. Also
 * records whether two clients were inside at the same time.
 */
final class UnguardedCounter {

    private final AtomicInteger inside = new AtomicInteger();
    private volatile int count;
    private volatile boolean sawAnother;

    @SuppressWarnings({"NonAtomicVolatileUpdate", "ThreadPriorityCheck"}) // the point is to let others run in between
    void increment() {
        if (inside.incrementAndGet() > 1) {
            sawAnother = true;
        }
        int before = count;
        Thread.yield();
        count = before + 1;
        inside.decrementAndGet();
    }

    int value() {
        return count;
    }

    boolean sawAnother() {
        return sawAnother;
    }
}
