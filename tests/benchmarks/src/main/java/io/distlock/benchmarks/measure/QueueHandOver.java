package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.Rounds.Median;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.Rivals.Rival;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.QueueStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

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
    public void run(Store store, RunSize size, Report report) {
        QueueStore queues = (QueueStore) store;
        try (HandOverPair ours = new HandOverPair(Rivals.ours(store::application));
                HandOverPair driver = new HandOverPair(queues.driverQueue());
                Peers peers = Peers.of(queues, size)) {
            List<HandOverPair> all = new ArrayList<>(List.of(ours, driver));
            all.addAll(peers.all);
            all.forEach(each -> each.handOvers(size.of(300, 200, 2), TO_FALL_ASLEEP));
            int times = size.of(20, 10, 2);
            Rounds<long[]> rounds = Rounds.of(size.of(30, 15, 2), all, pair -> pair.handOvers(times, TO_FALL_ASLEEP));
            for (HandOverPair each : all) {
                report.figure(
                        "hand-over, median, " + each.name(), Stopwatch.micros(rounds.median(each, Median::of)), "µs");
            }
            String what = "hand-over to that of %s, ".formatted(driver.name());
            report.figure(what + ours.name(), rounds.ratio(ours, driver, Median::of), "×", Target.atMost(1.2));
            for (HandOverPair peer : peers.all) {
                report.figure(what + peer.name(), rounds.ratio(peer, driver, Median::of), "×");
            }
        }
    }

    /** A test of our own does without them. */
    private record Peers(List<HandOverPair> all) implements AutoCloseable {

        static Peers of(QueueStore store, RunSize size) {
            List<Rivals> rivals = size == RunSize.TINY ? List.of() : store.peerQueues();
            return new Peers(rivals.stream().map(HandOverPair::new).toList());
        }

        @Override
        public void close() {
            all.forEach(HandOverPair::close);
        }
    }

    /** Two clients, one of which releases a lock for which the other waits. For one thread. */
    private static final class HandOverPair implements AutoCloseable {

        private final String name;
        private final Rival giver;
        private final Rival taker;
        private final ExecutorService thread = Executors.newSingleThreadExecutor();

        HandOverPair(Rivals rivals) {
            this.name = rivals.name();
            this.giver = rivals.join();
            this.taker = rivals.join();
        }

        String name() {
            return name;
        }

        /**
         * Hands the lock over again and again.
         *
         * @param toFallAsleep how long the other waits before the release
         * @return for each time, how long it took from before the release until the other had the lock
         */
        long[] handOvers(int times, Duration toFallAsleep) {
            long[] nanos = new long[times];
            for (int time = 0; time < times; time++) {
                nanos[time] = handOver(toFallAsleep);
            }
            return nanos;
        }

        private long handOver(Duration toFallAsleep) {
            Runnable release = giver.take();
            CompletableFuture<Long> taken = CompletableFuture.supplyAsync(this::takeAndGiveBack, thread);
            Stopwatch.pause(toFallAsleep);
            long released = Stopwatch.now();
            release.run();
            return taken.join() - released;
        }

        private long takeAndGiveBack() {
            Runnable release = taker.take();
            long taken = Stopwatch.now();
            release.run();
            return taken;
        }

        @Override
        public void close() {
            thread.shutdownNow();
            giver.close();
            taker.close();
        }
    }
}
