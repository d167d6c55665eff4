package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Target;
import io.distlock.benchmarks.store.ClientContender;
import io.distlock.benchmarks.store.Contender;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;

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
        try (ClientContender ours = new ClientContender(store.application());
                Contender theirs = store.driver();
                Crowd crowd = new Crowd(THREADS)) {
            // The compiler is not to be measured.
            Rounds.of(effort.of(6, 6, 1), ours, theirs, contender -> crowd.run(contender, turn));
            Rounds<Crowd.Turn> rounds =
                    Rounds.of(effort.of(30, 10, 2), ours, theirs, contender -> crowd.run(contender, turn));
            report.figure("cycles per second, " + ours.name(), rounds.ours(Crowd.Turn::rate), "/s");
            report.figure("cycles per second, " + theirs.name(), rounds.theirs(Crowd.Turn::rate), "/s");
            report.figure(
                    "throughput to that of " + theirs.name(), rounds.ratio(Crowd.Turn::rate), "×", Target.atLeast(0.9));
            report.figure("CPU per cycle, " + ours.name(), rounds.ours(Crowd.Turn::cpuMicros), "µs");
            report.figure("CPU per cycle, " + theirs.name(), rounds.theirs(Crowd.Turn::cpuMicros), "µs");
            report.figure(
                    "CPU per cycle to that of " + theirs.name(),
                    rounds.ratio(Crowd.Turn::cpuMicros),
                    "×",
                    Target.atMost(1.4));
        }
    }
}
