package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.Rounds.Median;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.LockServers.CommandCount;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.Rivals.Rival;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** From the moment at which a holder sets out to release until another client, who is asleep, has the lock. */
final class QueueHandOver implements Measurement {

    /** Until the one who waits has looked, watches, has looked again, and sleeps. */
    private static final Duration TO_FALL_ASLEEP = Duration.ofMillis(10);

    private static final double P99 = 0.99;

    @Override
    public String name() {
        return "turns";
    }

    @Override
    public String title() {
        return "Two clients pass a lock to each other; the one without it sleeps";
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        try (HandOverPair ours = new HandOverPair(Rivals.ours(store::application));
                Peers peers = Peers.of(store, size)) {
            List<HandOverPair> all = new ArrayList<>(List.of(ours));
            all.addAll(peers.all);
            all.forEach(each -> each.handOvers(size.of(300, 100, 2), TO_FALL_ASLEEP));
            int times = size.of(20, 10, 2);
            Rounds<long[]> rounds = Rounds.of(size.of(30, 10, 2), all, pair -> pair.handOvers(times, TO_FALL_ASLEEP));
            for (HandOverPair each : all) {
                long[] sorted =
                        rounds.all(each).flatMapToLong(Arrays::stream).sorted().toArray();
                String of = ", " + each.name();
                report.figure("hand-over, median" + of, Stopwatch.micros(rounds.median(each, Median::of)), "µs");
                report.figure(
                        "hand-over, p99" + of, Stopwatch.micros((double) sorted[(int) (sorted.length * P99)]), "µs");
            }
            compare(ours, peers, rounds, store, report);
            for (HandOverPair each : all) {
                count(each, store, size, each == ours ? store.targets().server().messages() : Optional.empty(), report);
            }
        }
    }

    private static void compare(HandOverPair ours, Peers peers, Rounds<long[]> rounds, Store store, Report report) {
        HandOverPair reference = peers.all.get(0);
        String what = "hand-over relative to %s, ".formatted(reference.name());
        report.figure(
                what + ours.name(),
                rounds.ratio(ours, reference, Median::of),
                "×",
                store.targets().server().handOver());
        for (HandOverPair peer : peers.all.subList(1, peers.all.size())) {
            report.figure(what + peer.name(), rounds.ratio(peer, reference, Median::of), "×");
        }
    }

    private static void count(HandOverPair pair, Store store, RunSize size, Optional<Target> target, Report report) {
        int times = size.of(100, 50, 4);
        try (CommandCount commands = store.countCommands()) {
            pair.handOvers(times, TO_FALL_ASLEEP);
            // The first acquisition and the last release make one more.
            double each = (double) commands.soFar() / (times + 1);
            report.figure("client commands per hand-over, " + pair.name(), each, "", target);
        }
    }

    /** A test of our own does with one of them. */
    private record Peers(List<HandOverPair> all) implements AutoCloseable {

        static Peers of(Store store, RunSize size) {
            long most = size == RunSize.TINY ? 1 : Long.MAX_VALUE;
            return new Peers(
                    store.rivals().stream().limit(most).map(HandOverPair::new).toList());
        }

        @Override
        public void close() {
            all.forEach(HandOverPair::close);
        }
    }

    /** Two clients, each on a thread of its own, one of which releases a lock for which the other waits. For one thread. */
    private static final class HandOverPair implements AutoCloseable {

        private final String name;
        private final List<Party> parties;

        /** A client and its thread. */
        private record Party(Rival rival, ExecutorService thread) {

            CompletableFuture<Taken> take() {
                return CompletableFuture.supplyAsync(() -> new Taken(rival.take(), Stopwatch.now()), thread);
            }

            /** When it set out to release. */
            long release(Taken held) {
                return CompletableFuture.supplyAsync(
                                () -> {
                                    long now = Stopwatch.now();
                                    held.release.run();
                                    return now;
                                },
                                thread)
                        .join();
            }
        }

        private record Taken(Runnable release, long at) {}

        HandOverPair(Rivals rivals) {
            this.name = rivals.name();
            this.parties = Stream.generate(() -> new Party(rivals.join(), Executors.newSingleThreadExecutor()))
                    .limit(2)
                    .toList();
        }

        String name() {
            return name;
        }

        /**
         * Passes the lock to and fro.
         *
         * @param toFallAsleep how long the other waits before the release
         * @return for each time, how long it took from before the release until the other had the lock
         */
        long[] handOvers(int times, Duration toFallAsleep) {
            long[] nanos = new long[times];
            Taken held = parties.get(0).take().join();
            for (int time = 0; time < times; time++) {
                CompletableFuture<Taken> next = parties.get((time + 1) % 2).take();
                Stopwatch.pause(toFallAsleep);
                long released = parties.get(time % 2).release(held);
                held = next.join();
                nanos[time] = held.at - released;
            }
            parties.get(times % 2).release(held);
            return nanos;
        }

        @Override
        public void close() {
            parties.forEach(party -> {
                party.thread.shutdownNow();
                party.rival.close();
            });
        }
    }
}
