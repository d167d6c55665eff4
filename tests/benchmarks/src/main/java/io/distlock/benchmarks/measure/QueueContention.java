package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Target;
import io.distlock.benchmarks.store.QueueStore;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** How a lock goes from hand to hand when all clients want it all the time. */
final class QueueContention implements Measurement {

    private static final int CLIENTS = 8;
    private static final double P99 = 0.99;
    private static final double ALLOWED_MILLIS = 20;

    @Override
    public String name() {
        return "contention";
    }

    @Override
    public String title() {
        return CLIENTS + " clients that want the same lock again as soon as they have given it back";
    }

    @Override
    public void run(Store store, Effort effort, Report report) {
        try (Scramble ours = new Scramble(Rivals.ours(store::application), CLIENTS);
                Scramble driver = new Scramble(((QueueStore) store).driverQueue(), CLIENTS)) {
            List<Scramble> both = List.of(ours, driver);
            Duration turn = effort.millis(1_000, 1_000, 600);
            WarmUp.rounds(effort, both, scramble -> scramble.run(turn));
            Rounds<Scramble.Turn> rounds = Rounds.of(effort.of(20, 8, 2), both, scramble -> scramble.run(turn));
            show(ours, rounds, Optional.of(Target.atMost(ALLOWED_MILLIS)), report);
            show(driver, rounds, Optional.empty(), report);
            int violations =
                    rounds.all(ours).mapToInt(Scramble.Turn::violations).sum();
            report.count("two holders at once", violations, Target.exactly(0));
        }
    }

    private static void show(Scramble scramble, Rounds<Scramble.Turn> rounds, Optional<Target> p99, Report report) {
        long[] sorted = rounds.all(scramble)
                .flatMap(turn -> turn.handOvers().stream())
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
        String of = ", " + scramble.name();
        report.figure("hand-overs" + of, sorted.length, "");
        report.figure("hand-over, p50" + of, Stopwatch.millis(Median.of(sorted)), "ms");
        report.figure("hand-over, p99" + of, Stopwatch.millis((double) sorted[(int) (sorted.length * P99)]), "ms", p99);
        report.figure("hand-over, worst" + of, Stopwatch.millis((double) sorted[sorted.length - 1]), "ms");
    }
}
