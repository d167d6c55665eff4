package io.distlock.benchmarks.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.Duration;

/** The heap of this JVM. */
final class Heap {

    private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();
    private static final int MOST_COLLECTIONS = 12;
    private static final int SETTLED_BYTES = 4_096;
    private static final Duration BETWEEN_COLLECTIONS = Duration.ofMillis(100);

    private Heap() {}

    /** What is still reachable, in bytes: collected again and again until there is no less of it. */
    static long reachable() {
        long least = Long.MAX_VALUE;
        for (int collections = 0; collections < MOST_COLLECTIONS; collections++) {
            MEMORY.gc();
            Stopwatch.pause(BETWEEN_COLLECTIONS);
            long used = MEMORY.getHeapMemoryUsage().getUsed();
            if (least - used < SETTLED_BYTES) {
                return Math.min(least, used);
            }
            least = used;
        }
        return least;
    }
}
