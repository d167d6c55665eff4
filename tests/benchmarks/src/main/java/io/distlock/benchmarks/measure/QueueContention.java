package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.Rounds.Median;
import io.distlock.benchmarks.measure.Rounds.WarmUp;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.Rivals.Rival;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.QueueStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

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
    public void run(Store store, RunSize size, Report report) {
        try (ContendedClients ours = new ContendedClients(Rivals.ours(store::application), CLIENTS);
                ContendedClients driver = new ContendedClients(((QueueStore) store).driverQueue(), CLIENTS)) {
            List<ContendedClients> both = List.of(ours, driver);
            Duration turn = size.millis(1_000, 1_000, 600);
            WarmUp.rounds(size, both, clients -> clients.run(turn), report);
            Rounds<ContendedClients.Turn> rounds = Rounds.of(size.of(20, 8, 2), both, clients -> clients.run(turn));
            show(ours, rounds, Optional.of(Target.atMost(ALLOWED_MILLIS)), report);
            show(driver, rounds, Optional.empty(), report);
            int violations =
                    rounds.all(ours).mapToInt(ContendedClients.Turn::violations).sum();
            report.count("two holders at once", violations, Target.exactly(0));
        }
    }

    private static void show(
            ContendedClients clients, Rounds<ContendedClients.Turn> rounds, Optional<Target> p99, Report report) {
        long[] sorted = rounds.all(clients)
                .flatMap(turn -> turn.handOvers().stream())
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
        String of = ", " + clients.name();
        report.figure("hand-overs" + of, sorted.length, "");
        report.figure("hand-over, p50" + of, Stopwatch.millis(Median.of(sorted)), "ms");
        report.figure("hand-over, p99" + of, Stopwatch.millis((double) sorted[(int) (sorted.length * P99)]), "ms", p99);
        report.figure("hand-over, worst" + of, Stopwatch.millis((double) sorted[sorted.length - 1]), "ms");
    }

    /** Clients that take one lock from each other and hold it for no time at all. For one thread. */
    private static final class ContendedClients implements AutoCloseable {

        private final String name;
        private final List<Rival> rivals;
        private final ExecutorService threads;

        ContendedClients(Rivals kind, int clients) {
            this.name = kind.name();
            this.rivals = Stream.generate(kind::join).limit(clients).toList();
            this.threads = Executors.newFixedThreadPool(clients);
        }

        String name() {
            return name;
        }

        /**
         * How a turn went.
         *
         * @param handOvers for each, how long it took from before the release until the next had the lock
         * @param violations how often one had it while another did
         */
        record Turn(List<Long> handOvers, int violations) {}

        Turn run(Duration time) {
            Lap lap = new Lap(time);
            List<CompletableFuture<Void>> running = new ArrayList<>();
            rivals.forEach(rival -> running.add(CompletableFuture.runAsync(() -> lap.run(rival), threads)));
            running.forEach(CompletableFuture::join);
            return lap.turn();
        }

        @Override
        public void close() {
            threads.shutdownNow();
            rivals.forEach(Rival::close);
        }

        private static final class Lap {

            private final long nanos;
            private final Stopwatch watch = Stopwatch.start();
            private final AtomicInteger holders = new AtomicInteger();
            private final AtomicInteger violations = new AtomicInteger();
            private final ConcurrentLinkedQueue<Long> handOvers = new ConcurrentLinkedQueue<>();

            /** When the last holder set out to release; written by holders only. Zero before the first. */
            private volatile long released;

            Lap(Duration time) {
                this.nanos = time.toNanos();
            }

            void run(Rival rival) {
                while (watch.nanos() < nanos) {
                    Runnable release = rival.take();
                    long taken = watch.nanos();
                    if (holders.incrementAndGet() != 1) {
                        violations.incrementAndGet();
                    }
                    if (released != 0) {
                        handOvers.add(taken - released);
                    }
                    holders.decrementAndGet();
                    released = watch.nanos();
                    release.run();
                }
            }

            Turn turn() {
                return new Turn(List.copyOf(handOvers), violations.get());
            }
        }
    }
}
