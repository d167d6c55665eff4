package io.distlock.benchmarks.measure;

import io.distlock.HeldLock;
import io.distlock.benchmarks.measure.Rounds.Median;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.NeighbourProcess;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.RoundTrip;
import java.time.Duration;
import java.util.Optional;

/**
 * From the moment at which a holder sets out to release until the next owner, who waits in another JVM, has it.
 *
 * <p>Both read the machine's monotonic clock, which on Linux is one for all processes ({@code CLOCK_MONOTONIC}). That
 * this is so is checked first: a reading of the other JVM must lie between two of our own that enclose it.
 */
final class HandOver implements Measurement {

    private static final String ITEM = "hand-over";
    private static final Duration LEASE = Duration.ofSeconds(30);

    /** Until the neighbour has been refused, has subscribed, has been refused again, and sleeps. */
    private static final Duration TO_FALL_ASLEEP = Duration.ofMillis(2);

    /**
     * In such a time processors and caches cool down, so the round trip that serves as the unit is measured after the
     * same pause.
     */
    private static final Duration TO_COOL_DOWN = Duration.ofMillis(20);

    @Override
    public String name() {
        return "hand-over";
    }

    @Override
    public String title() {
        return "Release a lock for which another JVM waits";
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        try (Application application = store.application();
                RoundTrip roundTrip = store.roundTrip();
                NeighbourProcess neighbour = NeighbourProcess.on(store)) {
            report.count(
                    "clock readings of the other JVM out of order", outOfOrder(neighbour, size), Target.exactly(0));
            warmUp(application, roundTrip, neighbour, size);
            compare(store, application, roundTrip, neighbour, TO_FALL_ASLEEP, size, report);
            compare(store, application, roundTrip, neighbour, TO_COOL_DOWN, size, report);
            report.figure(
                    "round trip, median, without a pause", Stopwatch.micros(busyRoundTrip(roundTrip, size)), "µs");
        }
    }

    /** Both JVMs have compiled what matters before anything is timed; a service has run for longer. */
    private static void warmUp(Application application, RoundTrip roundTrip, NeighbourProcess neighbour, RunSize size) {
        neighbour.warmUp(size.of(20_000, 20_000, 10));
        for (int round = size.of(2_000, 1_000, 2); round > 0; round--) {
            handOver(application, neighbour, TO_FALL_ASLEEP);
            ask(roundTrip, Duration.ZERO);
        }
    }

    private static void compare(
            Store store,
            Application application,
            RoundTrip roundTrip,
            NeighbourProcess neighbour,
            Duration pause,
            RunSize size,
            Report report) {
        long[] handOvers = new long[size.of(500, 150, 5)];
        long[] roundTrips = new long[handOvers.length];
        for (int round = 0; round < handOvers.length; round++) {
            handOvers[round] = handOver(application, neighbour, pause);
            roundTrips[round] = ask(roundTrip, pause);
        }
        String when = ", after %d ms".formatted(pause.toMillis());
        double handOver = Median.of(handOvers);
        Optional<Target> limit = store.handOverMicros();
        report.figure("hand-over, median" + when, Stopwatch.micros(handOver), "µs", limit);
        report.figure("round trip, median" + when, Stopwatch.micros(Median.of(roundTrips)), "µs");
        report.figure(
                "round trips for a hand-over" + when,
                handOver / Median.of(roundTrips),
                "",
                limit.isPresent() ? Optional.empty() : Optional.of(Target.atMost(3)));
    }

    private static long handOver(Application application, NeighbourProcess neighbour, Duration pause) {
        HeldLock held = application.locks().acquire(NeighbourProcess.request(application.locks(), ITEM, LEASE));
        neighbour.take(ITEM, LEASE);
        Stopwatch.pause(pause);
        long released = Stopwatch.now();
        held.release();
        long taken = neighbour.taken();
        neighbour.free();
        return taken - released;
    }

    private static long ask(RoundTrip roundTrip, Duration pause) {
        Stopwatch.pause(pause);
        Stopwatch watch = Stopwatch.start();
        roundTrip.ask();
        return watch.nanos();
    }

    private static double busyRoundTrip(RoundTrip roundTrip, RunSize size) {
        long[] nanos = new long[size.of(2_000, 2_000, 20)];
        for (int round = 0; round < nanos.length; round++) {
            nanos[round] = ask(roundTrip, Duration.ZERO);
        }
        return Median.of(nanos);
    }

    private static int outOfOrder(NeighbourProcess neighbour, RunSize size) {
        int outOfOrder = 0;
        for (int check = size.of(500, 500, 20); check > 0; check--) {
            long before = Stopwatch.now();
            long theirs = neighbour.clock();
            if (theirs - before < 0 || Stopwatch.now() - theirs < 0) {
                outOfOrder++;
            }
        }
        return outOfOrder;
    }
}
