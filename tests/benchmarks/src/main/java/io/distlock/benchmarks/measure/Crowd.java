package io.distlock.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import io.distlock.benchmarks.store.Contender;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that go round and round at the same time, each on items that are its own. For one thread. */
final class Crowd implements AutoCloseable {

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final int threads;
    private final int itemsEach;
    private final ExecutorService executor;

    /**
     * How a turn went.
     *
     * @param cycles how many there were
     * @param nanos how long they took
     * @param cpuNanos what this process has used of the processors, the driver's threads and the collector included
     */
    record Turn(long cycles, long nanos, long cpuNanos) {

        double rate() {
            return cycles * 1e9 / nanos;
        }

        double cpuMicros() {
            return Stopwatch.micros((double) cpuNanos / cycles);
        }
    }

    Crowd(int threads) {
        this.threads = threads;
        this.itemsEach = Contender.ITEMS / threads;
        this.executor = Executors.newFixedThreadPool(threads);
    }

    /** Lets all of them go round for some time. */
    Turn run(Contender contender, Duration time) {
        long cpu = PROCESS.getProcessCpuTime();
        Stopwatch watch = Stopwatch.start();
        List<Callable<Long>> walks = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            int first = thread * itemsEach;
            walks.add(() -> walk(contender, first, watch, time.toNanos()));
        }
        long cycles = invokeAll(walks);
        return new Turn(cycles, watch.nanos(), PROCESS.getProcessCpuTime() - cpu);
    }

    private long walk(Contender contender, int first, Stopwatch watch, long nanos) {
        long cycles = 0;
        while (watch.nanos() < nanos) {
            contender.cycle(first + (int) (cycles % itemsEach));
            cycles++;
        }
        return cycles;
    }

    private long invokeAll(List<Callable<Long>> walks) {
        try {
            long cycles = 0;
            for (Future<Long> walk : executor.invokeAll(walks)) {
                cycles += walk.get();
            }
            return cycles;
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException("a thread fell over", failure);
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
