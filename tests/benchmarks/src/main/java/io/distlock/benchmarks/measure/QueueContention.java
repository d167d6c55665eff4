package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.Rounds.Median;
import io.distlock.benchmarks.measure.Rounds.WarmUp;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.Rivals.Rival;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.QuorumStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** How a lock goes from hand to hand when all clients want it all the time. */
final class QueueContention implements Measurement {

    private static final int CLIENTS = 8;

    private final Optional<? extends Supplier<? extends QuorumStore>> stores;

    /** On a store whose servers do not decide by majority. */
    QueueContention() {
        this.stores = Optional.empty();
    }

    /** Also beside clients of another store, whose minority is frozen. */
    QueueContention(Supplier<? extends QuorumStore> stores) {
        this.stores = Optional.of(stores);
    }

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
        try (ContendedClients ours = new ContendedClients(Rivals.ours(store::application));
                ContendedClients other = new ContendedClients(store.rivals().get(0));
                Frozen frozen = Frozen.of(stores)) {
            List<ContendedClients> all = new ArrayList<>(List.of(ours, other));
            all.addAll(frozen.clients);
            Duration turn = size.millis(1_000, 1_000, 600);
            if (frozen.clients.isEmpty()) {
                WarmUp.rounds(size, all, clients -> clients.run(turn), report);
            } else {
                // The first turns are also those in which silence is noticed.
                Rounds.of(size.of(10, 3, 1), all, clients -> clients.run(turn));
            }
            Rounds<ContendedClients.Turn> rounds = Rounds.of(size.of(20, 4, 2), all, clients -> clients.run(turn));
            for (ContendedClients each : all) {
                boolean timed = each == ours && frozen.clients.isEmpty();
                Optional<Target> p99 = timed ? Optional.of(Target.atMost(ALLOWED_MILLIS)) : Optional.empty();
                show(
                        each,
                        rounds,
                        p99,
                        each == other
                                ? Optional.empty()
                                : store.targets().server().grants(),
                        report);
                int violations = rounds.all(each)
                        .mapToInt(ContendedClients.Turn::violations)
                        .sum();
                report.count("two holders at once, " + each.name(), violations, Target.exactly(0));
            }
            frozen.clients.forEach(each -> report.figure(
                    "grants with all servers up to those with two frozen",
                    rounds.ratio(ours, each, ContendedClients.Turn::rate),
                    "×",
                    Target.atLeast(1)));
        }
    }

    /** Our clients on a store of their own whose minority is frozen; none if the store has no minority. */
    private record Frozen(List<ContendedClients> clients, Runnable end) implements AutoCloseable {

        static Frozen of(Optional<? extends Supplier<? extends QuorumStore>> stores) {
            if (stores.isEmpty()) {
                return new Frozen(List.of(), () -> {});
            }
            QuorumStore store = stores.get().get();
            Rivals ours = new Rivals(
                    "distlock, minority frozen", Rivals.ours(store::application).joins());
            ContendedClients clients = new ContendedClients(ours);
            store.freezeMinority();
            return new Frozen(List.of(clients), store::close);
        }

        @Override
        public void close() {
            clients.forEach(ContendedClients::close);
            end.run();
        }
    }

    private static void show(
            ContendedClients clients,
            Rounds<ContendedClients.Turn> rounds,
            Optional<Target> p99,
            Optional<Target> grants,
            Report report) {
        long[] sorted = rounds.all(clients)
                .flatMap(turn -> turn.handOvers().stream())
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
        String of = ", " + clients.name();
        report.figure("grants per second" + of, rounds.median(clients, ContendedClients.Turn::rate), "/s", grants);
        if (sorted.length == 0) {
            return;
        }
        report.figure("hand-over, p50" + of, Stopwatch.millis(Median.of(sorted)), "ms");
        report.figure("hand-over, p99" + of, Stopwatch.millis((double) sorted[(int) (sorted.length * P99)]), "ms", p99);
        report.figure("hand-over, worst" + of, Stopwatch.millis((double) sorted[sorted.length - 1]), "ms");
    }

    /** Clients that take one lock from each other and hold it for no time at all. For one thread. */
    private static final class ContendedClients implements AutoCloseable {

        private final String name;
        private final List<Rival> rivals;
        private final ExecutorService threads;

        ContendedClients(Rivals kind) {
            this.name = kind.name();
            this.rivals = Stream.generate(kind::join).limit(CLIENTS).toList();
            this.threads = Executors.newFixedThreadPool(CLIENTS);
        }

        String name() {
            return name;
        }

        /**
         * How a turn went.
         *
         * @param handOvers for each, how long it took from before the release until the next had the lock
         * @param violations how often one had it while another did
         * @param rate hand-overs per second
         */
        record Turn(List<Long> handOvers, int violations, double rate) {}

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
                return new Turn(List.copyOf(handOvers), violations.get(), handOvers.size() * 1e9 / watch.nanos());
            }
        }
    }
}
