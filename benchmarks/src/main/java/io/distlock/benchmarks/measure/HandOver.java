package io.distlock.benchmarks.measure;

import io.distlock.HeldLock;
import io.distlock.benchmarks.neighbour.NeighbourProcess;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.RoundTrip;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;

/**
 * From the moment at which a holder sets out to release until the next owner, who waits in another JVM, has it.
 *
 * <p>Both read the machine's monotonic clock, which on Linux is one for all processes ({@code CLOCK_MONOTONIC}). That
 * this is so is checked first: a reading of the other JVM must lie between two of our own that enclose it.
 */
final class HandOver implements Measurement {

    private static final String ITEM = "hand-over";
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int CLOCK_CHECKS = 500;

    /** Until the neighbour has been refused, has subscribed, has been refused again, and sleeps. */
    private static final Duration TO_FALL_ASLEEP = Duration.ofMillis(20);

    @Override
    public String name() {
        return "hand-over";
    }

    @Override
    public String title() {
        return "Release a lock for which another JVM waits";
    }

    @Override
    public void run(Store store, Effort effort, Report report) {
        try (Application application = store.application();
                RoundTrip roundTrip = store.roundTrip();
                NeighbourProcess neighbour = NeighbourProcess.on(store)) {
            report.count("clock readings of the other JVM out of order", outOfOrder(neighbour), Target.exactly(0));
            int warmUp = effort.of(200, 100, 2);
            int rounds = effort.of(500, 150, 5);
            long[] handOvers = new long[rounds];
            long[] roundTrips = new long[rounds];
            for (int round = -warmUp; round < rounds; round++) {
                long handOver = handOver(application, neighbour);
                long asking = ask(roundTrip);
                if (round >= 0) {
                    handOvers[round] = handOver;
                    roundTrips[round] = asking;
                }
            }
            double handOver = Median.of(handOvers);
            report.figure("hand-over, median", Stopwatch.micros(handOver), "µs");
            report.figure("round trip, median", Stopwatch.micros(Median.of(roundTrips)), "µs");
            report.figure("round trips for a hand-over", handOver / Median.of(roundTrips), "", Target.atMost(3));
        }
    }

    private static long handOver(Application application, NeighbourProcess neighbour) {
        HeldLock held = application.locks().acquire(NeighbourProcess.request(application.locks(), ITEM, LEASE));
        neighbour.take(ITEM, LEASE);
        Stopwatch.pause(TO_FALL_ASLEEP);
        long released = Stopwatch.now();
        held.release();
        long taken = neighbour.taken();
        neighbour.free();
        return taken - released;
    }

    /** After the same pause as before a release, in which processors and caches cool down just as much. */
    private static long ask(RoundTrip roundTrip) {
        Stopwatch.pause(TO_FALL_ASLEEP);
        Stopwatch watch = Stopwatch.start();
        roundTrip.ask();
        return watch.nanos();
    }

    private static int outOfOrder(NeighbourProcess neighbour) {
        int outOfOrder = 0;
        for (int check = 0; check < CLOCK_CHECKS; check++) {
            long before = Stopwatch.now();
            long theirs = neighbour.clock();
            if (theirs - before < 0 || Stopwatch.now() - theirs < 0) {
                outOfOrder++;
            }
        }
        return outOfOrder;
    }
}
