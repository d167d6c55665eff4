package io.distlock.benchmarks.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;

/** The heap of this JVM. */
public final class Heap {

    private static final int MOST_COLLECTIONS = 20;
    private static final int SETTLED_BYTES = 4_096;
    private static final Duration BETWEEN_COLLECTIONS = Duration.ofMillis(100);

    private Heap() {}

    /** What is still reachable, in bytes: collected again and again until it stays the same. */
    public static long reachable() {
        long last = Long.MAX_VALUE;
        for (int collections = 0; collections < MOST_COLLECTIONS; collections++) {
            long now = collect();
            if (Math.abs(last - now) < SETTLED_BYTES) {
                return now;
            }
            last = now;
            Stopwatch.pause(BETWEEN_COLLECTIONS);
        }
        return last;
    }

    /** What the collection has left, not what is used now: other threads go on allocating. */
    private static long collect() {
        ManagementFactory.getMemoryMXBean().gc();
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getCollectionUsage)
                .mapToLong(usage -> usage == null ? 0 : usage.getUsed())
                .sum();
    }
}
