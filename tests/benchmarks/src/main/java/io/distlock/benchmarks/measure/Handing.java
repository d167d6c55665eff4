package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.store.Rival;
import io.distlock.benchmarks.store.Rivals;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Two clients, one of which releases a lock for which the other waits. For one thread. */
final class Handing implements AutoCloseable {

    private final String name;
    private final Rival giver;
    private final Rival taker;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    Handing(Rivals rivals) {
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
