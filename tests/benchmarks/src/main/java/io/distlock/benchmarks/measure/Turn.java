package io.distlock.benchmarks.measure;

import com.sun.management.ThreadMXBean;
import io.distlock.benchmarks.store.Contender;
import java.lang.management.ManagementFactory;
import java.util.List;

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

    /** Many of them, after some that are not counted: the compiler is not to be measured. */
    static Rounds<Turn> rounds(Effort effort, List<Contender> contenders, int calls) {
        WarmUp.rounds(effort, contenders, contender -> of(contender, calls));
        return Rounds.of(effort.of(30, 10, 2), contenders, contender -> of(contender, calls));
    }
}
