package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Target;
import io.distlock.benchmarks.store.QueueStore;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** From the moment at which a holder sets out to release until the next in the queue, who is asleep, has the lock. */
final class QueueHandOver implements Measurement {

    /** Until the one who waits has looked, watches, has looked again, and sleeps. */
    private static final Duration TO_FALL_ASLEEP = Duration.ofMillis(10);

    @Override
    public String name() {
        return "hand-over";
    }

    @Override
    public String title() {
        return "Release a lock for which another client waits";
    }

    @Override
    public void run(Store store, Effort effort, Report report) {
        QueueStore queues = (QueueStore) store;
        try (Handing ours = new Handing(Rivals.ours(store::application));
                Handing driver = new Handing(queues.driverQueue());
                Peers peers = Peers.of(queues, effort)) {
            List<Handing> all = new ArrayList<>(List.of(ours, driver));
            all.addAll(peers.all);
            all.forEach(each -> each.handOvers(effort.of(300, 200, 2), TO_FALL_ASLEEP));
            int times = effort.of(20, 10, 2);
            Rounds<long[]> rounds =
                    Rounds.of(effort.of(30, 15, 2), all, handing -> handing.handOvers(times, TO_FALL_ASLEEP));
            for (Handing each : all) {
                report.figure(
                        "hand-over, median, " + each.name(), Stopwatch.micros(rounds.median(each, Median::of)), "µs");
            }
            String what = "hand-over to that of %s, ".formatted(driver.name());
            report.figure(what + ours.name(), rounds.ratio(ours, driver, Median::of), "×", Target.atMost(1.2));
            for (Handing peer : peers.all) {
                report.figure(what + peer.name(), rounds.ratio(peer, driver, Median::of), "×");
            }
        }
    }

    /** A test of our own does without them. */
    private record Peers(List<Handing> all) implements AutoCloseable {

        static Peers of(QueueStore store, Effort effort) {
            List<Rivals> rivals = effort == Effort.TINY ? List.of() : store.peerQueues();
            return new Peers(rivals.stream().map(Handing::new).toList());
        }

        @Override
        public void close() {
            all.forEach(Handing::close);
        }
    }
}
