package io.distlock.benchmarks.capacity;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockOptions;
import io.distlock.benchmarks.measure.Stopwatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Threads that take locks at once, each the next as soon as it has had the one before. */
final class LockThreads {

    /** How many take and give back what is held. */
    private static final int FILLERS = 16;

    private LockThreads() {}

    /** Takes and gives back, one key after the other of so many, until the time is over. */
    static Times cycles(List<LockClient> clients, int threads, int keys, Duration time) {
        long until = Stopwatch.now() + time.toNanos();
        AtomicInteger next = new AtomicInteger();
        return run(threads, thread -> {
            LockClient client = clients.get(thread % clients.size());
            return () -> {
                if (Stopwatch.now() - until >= 0) {
                    return OptionalLong.empty();
                }
                String key = Integer.toString(Math.floorMod(next.getAndIncrement(), keys));
                long started = Stopwatch.now();
                client.acquire(client.request("capacity", key)).close();
                return OptionalLong.of(Stopwatch.now() - started);
            };
        });
    }

    /** Takes and gives back each of so many keys. */
    static void eachOnce(LockClient client, int keys) {
        AtomicInteger next = new AtomicInteger();
        run(FILLERS, thread -> () -> {
            int key = next.getAndIncrement();
            if (key >= keys) {
                return OptionalLong.empty();
            }
            client.acquire(client.request("capacity", Integer.toString(key))).close();
            return OptionalLong.of(0);
        });
    }

    /** Takes so many locks of different keys, and keeps them. */
    static List<HeldLock> hold(LockClient client, int locks, LockOptions options) {
        Queue<HeldLock> held = new ConcurrentLinkedQueue<>();
        AtomicInteger next = new AtomicInteger();
        run(FILLERS, thread -> () -> {
            int key = next.getAndIncrement();
            if (key >= locks) {
                return OptionalLong.empty();
            }
            long started = Stopwatch.now();
            held.add(client.acquire(
                    client.request("capacity-held", Integer.toString(key)).withOptions(options)));
            return OptionalLong.of(Stopwatch.now() - started);
        });
        return List.copyOf(held);
    }

    static void release(List<HeldLock> held) {
        AtomicInteger next = new AtomicInteger();
        run(FILLERS, thread -> () -> {
            int at = next.getAndIncrement();
            if (at >= held.size()) {
                return OptionalLong.empty();
            }
            held.get(at).release();
            return OptionalLong.of(0);
        });
    }

    private static Times run(int threads, IntFunction<Supplier<OptionalLong>> steps) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            long started = Stopwatch.now();
            List<CompletableFuture<long[]>> all = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Supplier<OptionalLong> step = steps.apply(thread);
                all.add(CompletableFuture.supplyAsync(() -> timesOf(step), pool));
            }
            long[] sorted = all.stream()
                    .flatMapToLong(each -> Arrays.stream(each.join()))
                    .sorted()
                    .toArray();
            return new Times(sorted, Stopwatch.now() - started);
        } finally {
            pool.shutdownNow();
        }
    }

    private static long[] timesOf(Supplier<OptionalLong> step) {
        return Stream.generate(step)
                .takeWhile(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .toArray();
    }

    /** How long each of several took, sorted, and all together. */
    static final class Times {

        private final long[] sorted;
        private final long nanos;

        Times(long[] sorted, long nanos) {
            this.sorted = sorted;
            this.nanos = nanos;
        }

        double perSecond() {
            return sorted.length * 1e9 / nanos;
        }

        int count() {
            return sorted.length;
        }

        double median() {
            return millis(0.5);
        }

        double p99() {
            return millis(0.99);
        }

        private double millis(double quantile) {
            return sorted.length == 0 ? Double.NaN : sorted[(int) (quantile * (sorted.length - 1))] / 1e6;
        }
    }
}
