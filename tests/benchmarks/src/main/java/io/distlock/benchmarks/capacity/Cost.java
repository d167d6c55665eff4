package io.distlock.benchmarks.capacity;

/**
 * What locks cost at one size. Figures that an earlier run did not have are NaN.
 *
 * @param perSecond how many locks were granted per second
 * @param p50Millis the median: see the curve
 * @param p99Millis of the same
 * @param heapBytes what the heap has more than before the clients were made
 * @param commands that clients sent: see the curve
 * @param connections sockets that the clients opened
 * @param lost locks that were lost
 * @param processor time: see the curve
 */
record Cost(
        double perSecond,
        double p50Millis,
        double p99Millis,
        long heapBytes,
        double commands,
        int connections,
        int lost,
        ProcessorMicros processor) {

    /** Throughput and times, with what they cost. */
    static Cost of(
            LockThreads.Times times, long heapBytes, double commands, int connections, ProcessorMicros processor) {
        return new Cost(times.perSecond(), times.median(), times.p99(), heapBytes, commands, connections, 0, processor);
    }

    /**
     * Processor time, for each lock or for each second.
     *
     * @param servers microseconds of their processes
     * @param clients microseconds of theirs
     */
    record ProcessorMicros(double servers, double clients) {}
}
