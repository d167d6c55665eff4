package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Target;
import io.distlock.benchmarks.store.Contender;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.Optional;

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
    public void run(Store store, Effort effort, Report report) {
        Duration turn = effort.millis(1_000, 500, 100);
        try (Lineup lineup = Lineup.on(store, effort);
                Crowd crowd = new Crowd(THREADS)) {
            WarmUp.rounds(effort, lineup.all(), contender -> crowd.run(contender, turn));
            Rounds<Crowd.Turn> rounds =
                    Rounds.of(effort.of(30, 10, 2), lineup.all(), contender -> crowd.run(contender, turn));
            throughput(rounds, lineup, store.targets().throughput(), report);
            cpu(rounds, lineup, store.targets().cpu(), report);
        }
    }

    private static void throughput(Rounds<Crowd.Turn> rounds, Lineup lineup, Target target, Report report) {
        for (Contender each : lineup.all()) {
            report.figure("cycles per second, " + each.name(), rounds.median(each, Crowd.Turn::rate), "/s");
        }
        String what = "throughput to that of %s, ".formatted(lineup.driver().name());
        double ratio = rounds.ratio(lineup.ours(), lineup.driver(), Crowd.Turn::rate);
        report.figure(what + lineup.ours().name(), ratio, "×", target);
        for (Contender peer : lineup.peers()) {
            report.figure(what + peer.name(), rounds.ratio(peer, lineup.driver(), Crowd.Turn::rate), "×");
        }
    }

    private static void cpu(Rounds<Crowd.Turn> rounds, Lineup lineup, Optional<Target> target, Report report) {
        for (Contender each : lineup.all()) {
            report.figure("CPU per cycle, " + each.name(), rounds.median(each, Crowd.Turn::cpuMicros), "µs");
        }
        String what = "CPU per cycle to that of %s, ".formatted(lineup.driver().name());
        double ratio = rounds.ratio(lineup.ours(), lineup.driver(), Crowd.Turn::cpuMicros);
        report.figure(what + lineup.ours().name(), ratio, "×", target);
        for (Contender peer : lineup.peers()) {
            report.figure(what + peer.name(), rounds.ratio(peer, lineup.driver(), Crowd.Turn::cpuMicros), "×");
        }
    }
}
