package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.SideBySide.Turn;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Contestant.ClientContestant;
import io.distlock.benchmarks.store.LockServers.CommandCount;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.PeerTargets;
import io.distlock.benchmarks.store.Store.ServerWork;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Mode;

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
    public void run(Store store, RunSize size, Report report) {
        try (Contestants contestants = Contestants.on(store, size)) {
            contestants.all().forEach(contestant -> cycles(contestant, size.of(40_000, 20_000, 200)));
            countCommands(store, contestants.ours(), size, report);
            contestants.all().forEach(each -> countInside(store, each, each == contestants.ours(), size, report));
            countRoundTrips(store, report);
            countThreadsAndTimers(contestants.ours(), size, report);
            compare(contestants, store, size, report);
        }
    }

    private static void countCommands(Store store, Contestant ours, RunSize size, Report report) {
        int cycles = size.of(1_000, 1_000, 100);
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

    /** What scripts call, too. A server that does not count its commands runs what clients send. */
    private static void countInside(Store store, Contestant contestant, boolean ours, RunSize size, Report report) {
        int cycles = size.of(1_000, 1_000, 100);
        ServerWork before = store.work();
        double commands;
        if (Double.isNaN(before.commands())) {
            commands = commandsFor(cycles, store, contestant);
        } else {
            cycles(contestant, cycles);
            commands = store.work().since(before).commands();
        }
        report.figure(
                "commands that the servers ran per cycle, " + contestant.name(),
                // Rounded: the questions themselves count, and so does what a library asks now and then.
                Math.rint(commands / cycles * 10) / 10,
                "",
                ours ? store.targets().server().commands() : Optional.empty());
    }

    private static int commandsFor(int cycles, Store store, Contestant contestant) {
        try (CommandCount commands = store.countCommands()) {
            cycles(contestant, cycles);
            return commands.soFar();
        }
    }

    /**
     * With a store that is far away, time tells how many answers the caller has waited for, one after the other: the least
     * time, since all that the machine has else to do is on top of it.
     */
    private static void countRoundTrips(Store store, Report report) {
        try (Application distant = store.distantApplication(DISTANCE)) {
            ClientContestant ours = new ClientContestant(distant);
            ours.cycle(0);
            long least = IntStream.range(0, 5)
                    .mapToLong(cycle -> nanosOf(ours, cycle))
                    .min()
                    .orElseThrow();
            report.figure(
                    "round trips on the caller's path",
                    Math.floor((double) least / DISTANCE.toNanos()),
                    "",
                    Target.exactly(2));
        }
    }

    private static void countThreadsAndTimers(ClientContestant ours, RunSize size, Report report) {
        int cycles = size.of(20_000, 20_000, 2_000);
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

    private static void compare(Contestants contestants, Store store, RunSize size, Report report) {
        Rounds<Turn> rounds = SideBySide.rounds(
                size, size.of(60, 20, 2), contestants.all(), Mode.SampleTime, 1, size.millis(400, 250, 20), report);
        for (Contestant each : contestants.all()) {
            report.figure("p50, " + each.name(), Stopwatch.micros(rounds.median(each, Turn::nanos)), "µs");
        }
        String what = "p50 relative to %s, ".formatted(contestants.driver().name());
        double ratio = rounds.ratio(contestants.ours(), contestants.driver(), Turn::nanos);
        report.figure(
                what + contestants.ours().name(), ratio, "×", store.targets().p50());
        for (Contestant peer : contestants.peers()) {
            report.figure(what + peer.name(), rounds.ratio(peer, contestants.driver(), Turn::nanos), "×");
        }
        contestants
                .peer(store)
                .ifPresent(peer -> report.figure(
                        "p50 relative to %s, %s"
                                .formatted(peer.name(), contestants.ours().name()),
                        rounds.ratio(contestants.ours(), peer, Turn::nanos),
                        "×",
                        store.peerTargets().map(PeerTargets::p50)));
    }

    private static void cycles(Contestant contestant, int cycles) {
        for (int cycle = 0; cycle < cycles; cycle++) {
            contestant.cycle(cycle % Contestant.ITEMS);
        }
    }

    private static long nanosOf(Contestant contestant, int item) {
        Stopwatch watch = Stopwatch.start();
        contestant.cycle(item);
        return watch.nanos();
    }
}
