package io.distlock.benchmarks.measure;

import com.sun.management.ThreadMXBean;
import io.distlock.benchmarks.store.Contender;
import java.lang.management.ManagementFactory;

/**
 * How a turn on one thread went, by call.
 *
 * @param nanos the time
 * @param bytes what the calling thread, which does all the work, has allocated
 */
record Turn(double nanos, double bytes) {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    static Turn of(Contender contender, int calls) {
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        Stopwatch watch = Stopwatch.start();
        for (int call = 0; call < calls; call++) {
            contender.cycle(call % Contender.ITEMS);
        }
        double nanos = watch.nanos();
        return new Turn(nanos / calls, (double) (THREADS.getCurrentThreadAllocatedBytes() - bytes) / calls);
    }
}
