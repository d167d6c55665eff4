package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.SideBySide.Turn;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.PeerTargets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
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
                    size, size.of(30, 10, 2), contestants.all(), Mode.Throughput, THREADS, turn, store, report);
            throughput(rounds, contestants, store, report);
            Contestant driver = contestants.driver();
            cpu(
                    "CPU per cycle",
                    Turn::cpuNanos,
                    rounds,
                    contestants,
                    driver,
                    store.targets().cpu(),
                    report);
            cpu(
                    "the servers' CPU per cycle",
                    Turn::serverNanos,
                    rounds,
                    contestants,
                    contestants.plain().orElse(driver),
                    store.targets().server().cpu(),
                    report);
        }
    }

    private static void throughput(Rounds<Turn> rounds, Contestants contestants, Store store, Report report) {
        for (Contestant each : contestants.all()) {
            report.figure("cycles per second, " + each.name(), rounds.median(each, Turn::rate), "/s");
        }
        String what =
                "throughput relative to %s, ".formatted(contestants.driver().name());
        double ratio = rounds.ratio(contestants.ours(), contestants.driver(), Turn::rate);
        report.figure(
                what + contestants.ours().name(), ratio, "×", store.targets().throughput());
        for (Contestant peer : contestants.peers()) {
            report.figure(what + peer.name(), rounds.ratio(peer, contestants.driver(), Turn::rate), "×");
        }
        contestants
                .peer(store)
                .ifPresent(peer -> report.figure(
                        "throughput relative to %s, %s"
                                .formatted(peer.name(), contestants.ours().name()),
                        rounds.ratio(contestants.ours(), peer, Turn::rate),
                        "×",
                        store.peerTargets().map(PeerTargets::throughput)));
        contestants
                .plain()
                .ifPresent(plain -> report.figure(
                        "throughput relative to %s, ".formatted(plain.name())
                                + contestants.ours().name(),
                        rounds.ratio(contestants.ours(), plain, Turn::rate),
                        "×",
                        Target.atLeast(0.85)));
    }

    private static void cpu(
            String what,
            ToDoubleFunction<Turn> metric,
            Rounds<Turn> rounds,
            Contestants contestants,
            Contestant reference,
            Optional<Target> target,
            Report report) {
        for (Contestant each : contestants.all()) {
            report.figure(what + ", " + each.name(), Stopwatch.micros(rounds.median(each, metric)), "µs");
        }
        String ratio = what + " relative to %s, ".formatted(reference.name());
        report.figure(
                ratio + contestants.ours().name(), rounds.ratio(contestants.ours(), reference, metric), "×", target);
        for (Contestant peer : contestants.peers()) {
            report.figure(ratio + peer.name(), rounds.ratio(peer, reference, metric), "×");
        }
    }
}
