package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.store.Rival;
import io.distlock.benchmarks.store.Rivals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Clients that take one lock from each other and hold it for no time at all. For one thread. */
final class Scramble implements AutoCloseable {

    private final String name;
    private final List<Rival> rivals;
    private final ExecutorService threads;

    Scramble(Rivals kind, int clients) {
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
