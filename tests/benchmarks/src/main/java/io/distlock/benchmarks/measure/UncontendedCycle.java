package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.ClientContender;
import io.distlock.benchmarks.store.CommandCount;
import io.distlock.benchmarks.store.Contender;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;

/** What a lock costs that nobody else wants. */
final class UncontendedCycle implements Measurement {

    /** So long that the time between round trips does not matter. */
    private static final Duration DISTANCE = Duration.ofMillis(100);

    @Override
    public String name() {
        return "uncontended";
    }

    @Override
    public String title() {
        return "Acquire and release a lock that nobody else wants, one after the other";
    }

    @Override
    public void run(Store store, Effort effort, Report report) {
        try (Lineup lineup = Lineup.on(store, effort)) {
            lineup.all().forEach(contender -> cycles(contender, effort.of(40_000, 20_000, 200)));
            countCommands(store, lineup.ours(), effort, report);
            countRoundTrips(store, report);
            countThreadsAndTimers(lineup.ours(), effort, report);
            compare(lineup, store.targets().p50(), effort, report);
        }
    }

    private static void countCommands(Store store, Contender ours, Effort effort, Report report) {
        int cycles = effort.of(1_000, 1_000, 100);
        // What keeps a session of many locks alive belongs to no cycle, and comes every few seconds.
        int least = IntStream.range(0, 3)
                .map(turn -> commandsFor(cycles, store, ours))
                .min()
                .orElseThrow();
        report.figure(
                "client commands per cycle",
                (double) least / cycles,
                "",
                store.targets().commands());
    }

    private static int commandsFor(int cycles, Store store, Contender ours) {
        try (CommandCount commands = store.countCommands()) {
            cycles(ours, cycles);
            return commands.soFar();
        }
    }

    /**
     * With a store that is far away, time tells how many answers the caller has waited for, one after the other: the least
     * time, since all that the machine has else to do is on top of it.
     */
    private static void countRoundTrips(Store store, Report report) {
        try (Application distant = store.distantApplication(DISTANCE)) {
            ClientContender ours = new ClientContender(distant);
            ours.cycle(0);
            long[] nanos = timed(ours, 5);
            report.figure(
                    "round trips on the caller's path",
                    Math.floor((double) Arrays.stream(nanos).min().orElseThrow() / DISTANCE.toNanos()),
                    "",
                    Target.exactly(2));
        }
    }

    private static void countThreadsAndTimers(ClientContender ours, Effort effort, Report report) {
        int cycles = effort.of(20_000, 20_000, 2_000);
        long threads = Threads.everStartedOnceCalm();
        long timers = ours.application().timersSet();
        cycles(ours, cycles);
        report.count(
                "threads started in %,d cycles".formatted(cycles), Threads.everStarted() - threads, Target.exactly(0));
        report.figure(
                "timers set per 1,000 cycles",
                (ours.application().timersSet() - timers) * 1_000.0 / cycles,
                "",
                // None per lock: a timer for all of them is moved now and then, by the clock.
                Target.countAtMost(20));
    }

    private static void compare(Lineup lineup, Target p50, Effort effort, Report report) {
        int cycles = effort.of(2_000, 1_000, 50);
        WarmUp.rounds(effort, lineup.all(), contender -> timed(contender, cycles));
        Rounds<long[]> rounds = Rounds.of(effort.of(60, 20, 2), lineup.all(), contender -> timed(contender, cycles));
        for (Contender each : lineup.all()) {
            report.figure("p50, " + each.name(), Stopwatch.micros(rounds.median(each, Median::of)), "µs");
        }
        String what = "p50 to that of %s, ".formatted(lineup.driver().name());
        double ratio = rounds.ratio(lineup.ours(), lineup.driver(), Median::of);
        report.figure(what + lineup.ours().name(), ratio, "×", p50);
        for (Contender peer : lineup.peers()) {
            report.figure(what + peer.name(), rounds.ratio(peer, lineup.driver(), Median::of), "×");
        }
    }

    private static void cycles(Contender contender, int cycles) {
        for (int cycle = 0; cycle < cycles; cycle++) {
            contender.cycle(cycle % Contender.ITEMS);
        }
    }

    /** How long each cycle took. */
    static long[] timed(Contender contender, int cycles) {
        long[] nanos = new long[cycles];
        for (int cycle = 0; cycle < cycles; cycle++) {
            Stopwatch watch = Stopwatch.start();
            contender.cycle(cycle % Contender.ITEMS);
            nanos[cycle] = watch.nanos();
        }
        return nanos;
    }
}
