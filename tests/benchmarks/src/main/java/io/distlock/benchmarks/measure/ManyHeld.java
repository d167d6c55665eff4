package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.CommandCount;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Targets;
import java.time.Duration;
import java.util.stream.IntStream;

/** What it costs to hold many locks for long. */
final class ManyHeld implements Measurement {

    private static final int SHORT_CYCLES = 400;

    @Override
    public String name() {
        return "held";
    }

    @Override
    public String title() {
        return "Hold 10,000 locks with the watchdog (lease 30 s)";
    }

    @Override
    public void run(Store store, Effort effort, Report report) {
        Load load = Load.of(effort);
        report.note("each figure by collecting garbage until the heap shrinks no more, before and after; the locks' own"
                + " keys and handles count");
        double fresh = Median.of(IntStream.range(0, effort.of(5, 3, 1)).mapToDouble(turn -> heapOnly(store, load)));
        report.figure(
                "heap per held lock, median of %d".formatted(effort.of(5, 3, 1)),
                fresh,
                "bytes",
                store.targets().heap());
        try (Application application = store.application()) {
            long before = ready(application, load);
            try (Holding holding = Holding.ofNone(application, load.locks, load.lease)) {
                long threads = Threads.everStartedOnceCalm();
                holding.fill(load.locks);
                // Locks are renewed after a third of their lease: from then on there is something to count.
                Stopwatch.pause(load.lease.dividedBy(3));
                steady(store, holding, load, "", report);
                holding.shortCycles(SHORT_CYCLES);
                steady(store, holding, load, " after %d short cycles".formatted(SHORT_CYCLES), report);
                report.count("scheduler threads", Threads.ofSchedulers(), Target.exactly(1));
                report.count("threads started meanwhile", Threads.everStarted() - threads, Target.exactly(0));
                double old = (double) (Heap.reachable() - before) / load.locks;
                report.figure(
                        "heap per held lock, after all that",
                        old,
                        "bytes",
                        store.targets().heap());
            }
        }
    }

    private static double heapOnly(Store store, Load load) {
        try (Application application = store.application()) {
            long before = ready(application, load);
            try (Holding holding = Holding.ofNone(application, load.locks, load.lease)) {
                holding.fill(load.locks);
                return (double) (Heap.reachable() - before) / load.locks;
            }
        }
    }

    /** Loads the classes and fills the caches; then the heap as it is without any lock. */
    private static long ready(Application application, Load load) {
        try (Holding few = Holding.ofNone(application, SHORT_CYCLES, load.lease)) {
            few.fill(SHORT_CYCLES);
            few.lost();
        }
        return Heap.reachable();
    }

    private static void steady(Store store, Holding holding, Load load, String when, Report report) {
        try (CommandCount commands = store.countCommands()) {
            Stopwatch watch = Stopwatch.start();
            Stopwatch.pause(load.window);
            double rate = commands.soFar() * 1e9 / watch.nanos() / store.servers();
            String each = store.servers() == 1 ? "" : " and server";
            report.figure("client commands per second" + each + when, rate, "/s", load.commands(store.targets()));
        }
        report.count("locks lost" + when, holding.lost(), Target.exactly(0));
    }

    /**
     * How many are held, and how.
     *
     * @param window for how long they are watched
     */
    private record Load(int locks, Duration lease, Duration window) {

        static Load of(Effort effort) {
            return new Load(
                    effort.of(10_000, 10_000, 500),
                    effort.millis(30_000, 30_000, 6_000),
                    effort.millis(60_000, 10_000, 3_000));
        }

        /** For fewer locks or a shorter lease: so many for each lock and renewal as with 10,000 and 30 s. */
        Target commands(Targets targets) {
            double renewals = Math.max(1, targets.renewals() * (locks / 10_000.0));
            return Target.countAtMost(renewals * (30_000.0 / lease.toMillis()));
        }
    }
}
