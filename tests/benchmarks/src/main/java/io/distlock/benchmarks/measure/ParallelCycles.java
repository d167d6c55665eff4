package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.SideBySide.Turn;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.Optional;
import org.openjdk.jmh.annotations.Mode;

/** Many threads, each with locks of its own: what does the client add to the driver? */
final class ParallelCycles implements Measurement {

    private static final int THREADS = 32;

    @Override
    public String name() {
        return "parallel";
    }

    @Override
    public String title() {
        return "Acquire and release from " + THREADS + " threads at once, on keys of their own";
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        Duration turn = size.millis(1_000, 500, 100);
        try (Contestants contestants = Contestants.on(store, size)) {
            Rounds<Turn> rounds = SideBySide.rounds(
                    size, size.of(30, 10, 2), contestants.all(), Mode.Throughput, THREADS, turn, report);
            throughput(rounds, contestants, store.targets().throughput(), report);
            cpu(rounds, contestants, store.targets().cpu(), report);
        }
    }

    private static void throughput(Rounds<Turn> rounds, Contestants contestants, Target target, Report report) {
        for (Contestant each : contestants.all()) {
            report.figure("cycles per second, " + each.name(), rounds.median(each, Turn::rate), "/s");
        }
        String what =
                "throughput to that of %s, ".formatted(contestants.driver().name());
        double ratio = rounds.ratio(contestants.ours(), contestants.driver(), Turn::rate);
        report.figure(what + contestants.ours().name(), ratio, "×", target);
        for (Contestant peer : contestants.peers()) {
            report.figure(what + peer.name(), rounds.ratio(peer, contestants.driver(), Turn::rate), "×");
        }
    }

    private static void cpu(Rounds<Turn> rounds, Contestants contestants, Optional<Target> target, Report report) {
        for (Contestant each : contestants.all()) {
            report.figure("CPU per cycle, " + each.name(), Stopwatch.micros(rounds.median(each, Turn::cpuNanos)), "µs");
        }
        String what =
                "CPU per cycle to that of %s, ".formatted(contestants.driver().name());
        double ratio = rounds.ratio(contestants.ours(), contestants.driver(), Turn::cpuNanos);
        report.figure(what + contestants.ours().name(), ratio, "×", target);
        for (Contestant peer : contestants.peers()) {
            report.figure(what + peer.name(), rounds.ratio(peer, contestants.driver(), Turn::cpuNanos), "×");
        }
    }
}
