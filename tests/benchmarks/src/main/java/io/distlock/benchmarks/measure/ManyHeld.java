package io.distlock.benchmarks.measure;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockOptions;
import io.distlock.benchmarks.measure.Rounds.Median;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.LockServers.CommandCount;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.ServerWork;
import io.distlock.benchmarks.store.Store.Targets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** What it costs to hold many locks for long. */
final class ManyHeld implements Measurement {

    private static final int SHORT_CYCLES = 400;

    /** Few, since the watchdog's timer keeps those released until they would have been renewed. */
    private static final int ENOUGH_TO_BE_READY = 40;

    @Override
    public String name() {
        return "held";
    }

    @Override
    public String title() {
        return "Hold 10,000 locks with the watchdog (lease 30 s)";
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        Load load = Load.of(size);
        report.note("each figure by collecting garbage until the heap stays the same, before and after; the locks' own"
                + " keys and handles count");
        // What earlier measurements leave behind may disappear during one of them.
        int turns = size == RunSize.TINY ? 1 : size == RunSize.FULL ? 5 : 3;
        double fresh = Median.of(IntStream.range(0, turns).mapToDouble(turn -> heapOnly(store, load)));
        report.figure(
                "heap per held lock, median of %d".formatted(turns),
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
        for (Contestant peer : store.peers()) {
            try (peer) {
                beside(peer, store, load, report);
            }
        }
    }

    /** The same by another library, whose lease is 30 s whatever ours is. */
    private static void beside(Contestant peer, Store store, Load load, Report report) {
        List<Object> held = new ArrayList<>(load.locks + SHORT_CYCLES);
        for (int item = 0; item < SHORT_CYCLES; item++) {
            peer.hold(item).ifPresent(held::add);
        }
        if (held.isEmpty()) {
            return;
        }
        long before = Heap.reachable();
        for (int item = SHORT_CYCLES; item < SHORT_CYCLES + load.locks; item++) {
            peer.hold(item).ifPresent(held::add);
        }
        double heap = (double) (Heap.reachable() - before) / load.locks;
        report.figure(peer.name() + ": heap per held lock", heap, "bytes");
        Stopwatch.pause(load.lease.dividedBy(3));
        Stopwatch watch = Stopwatch.start();
        ServerWork work = store.work();
        Stopwatch.pause(load.window);
        double rate = store.work().since(work).commands() * 1e9 / watch.nanos() / store.servers();
        report.figure(
                peer.name() + ": commands that a server ran per second, with %d held".formatted(held.size()),
                rate,
                "/s");
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
        try (Holding few = Holding.ofNone(application, ENOUGH_TO_BE_READY, load.lease)) {
            few.fill(ENOUGH_TO_BE_READY);
            few.lost();
        }
        return Heap.reachable();
    }

    private static void steady(Store store, Holding holding, Load load, String when, Report report) {
        try (CommandCount commands = store.countCommands()) {
            Stopwatch watch = Stopwatch.start();
            ServerWork before = store.work();
            Stopwatch.pause(load.window);
            double inside = store.work().since(before).commands() * 1e9 / watch.nanos() / store.servers();
            double rate = commands.soFar() * 1e9 / watch.nanos() / store.servers();
            String each = store.servers() == 1 ? "" : " and server";
            report.figure("client commands per second" + each + when, rate, "/s", load.commands(store.targets()));
            report.figure(
                    "commands that a server ran per second" + when,
                    inside,
                    "/s",
                    store.targets().server().held());
        }
        report.count("locks lost" + when, holding.lost(), Target.exactly(0));
    }

    /**
     * How many are held, and how.
     *
     * @param window for how long they are watched
     */
    private record Load(int locks, Duration lease, Duration window) {

        static Load of(RunSize size) {
            return switch (size) {
                case TINY -> new Load(500, Duration.ofSeconds(6), Duration.ofSeconds(3));
                // Not shorter: a window has the renewals of each lock once.
                case SHORT, QUICK -> new Load(10_000, Duration.ofSeconds(30), Duration.ofSeconds(10));
                case FULL -> new Load(10_000, Duration.ofSeconds(30), Duration.ofMinutes(1));
            };
        }

        /** For fewer locks or a shorter lease: so many for each lock and renewal as with 10,000 and 30 s. */
        Target commands(Targets targets) {
            double renewals = Math.max(1, targets.renewals() * (locks / 10_000.0));
            return Target.countAtMost(renewals * (30_000.0 / lease.toMillis()));
        }
    }

    /** Locks that one application holds for long, under the watchdog. For one thread. */
    private static final class Holding implements AutoCloseable {

        private final LockClient locks;
        private final LockOptions options;
        private final AtomicInteger lossesReported = new AtomicInteger();
        private final List<HeldLock> held;

        private Holding(Application application, int count, Duration lease) {
            this.locks = application.locks();
            // One for all, as with a method that is annotated.
            this.options = locks.options().withLeaseTime(lease);
            this.held = new ArrayList<>(count);
            locks.addListener(event -> {
                if (event instanceof LockEvent.Lost) {
                    lossesReported.incrementAndGet();
                }
            });
        }

        /** Ready to take that many, and holding none. */
        static Holding ofNone(Application application, int count, Duration lease) {
            return new Holding(application, count, lease);
        }

        /** Takes the rest, each on an item of its own. */
        void fill(int count) {
            for (int item = held.size(); item < count; item++) {
                held.add(locks.acquire(
                        locks.request("held", Integer.toString(item)).withOptions(options)));
            }
        }

        /** Takes locks on other items and gives them back at once. */
        void shortCycles(int count) {
            for (int cycle = 0; cycle < count; cycle++) {
                locks.acquire(locks.request("short", Integer.toString(cycle)).withOptions(options))
                        .close();
            }
        }

        /** How many are lost by any account: a listener was told so, the handle says so, or the store does. */
        long lost() {
            long byHandle = held.stream().filter(lock -> !lock.isHeld()).count();
            long byStore = held.stream()
                    .filter(lock -> !locks.isCurrent(lock.sequencers().get(0)))
                    .count();
            return Math.max(lossesReported.get(), Math.max(byHandle, byStore));
        }

        /** Gives back what has not been lost. */
        @Override
        public void close() {
            held.forEach(HeldLock::release);
            held.clear();
        }
    }
}
