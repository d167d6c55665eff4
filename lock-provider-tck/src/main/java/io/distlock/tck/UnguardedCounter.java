package io.distlock.tck;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A witness of exclusion: a count kept by reading and then writing, which loses updates when two do it at once, and
 * a note of anybody who was inside at the same time.
 */
final class UnguardedCounter {

    private final AtomicInteger inside = new AtomicInteger();
    private volatile int count;
    private volatile boolean sawAnother;

    @SuppressWarnings({"NonAtomicVolatileUpdate", "ThreadPriorityCheck"}) // to let others in between is the point
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
