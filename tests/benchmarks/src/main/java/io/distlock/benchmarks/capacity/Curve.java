package io.distlock.benchmarks.capacity;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.benchmarks.capacity.Growth.Point;
import io.distlock.benchmarks.capacity.LockThreads.Times;
import io.distlock.benchmarks.measure.RunSize;
import io.distlock.benchmarks.measure.Stopwatch;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.CommandCount;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** What grows, and how its cost is measured at one size. */
enum Curve {

    /** Each with connections of its own and one thread. p50 and p99: of a cycle; commands: for each cycle. */
    CLIENTS("clients", 1, 64, 4) {

        @Override
        Point measure(Store store, int size, RunSize run) {
            return cycles(store, size, size, KEYS_OF_SOME, run);
        }
    },

    /** Of one client. p50 and p99: of a cycle; commands: for each cycle. */
    THREADS("threads of one client", 1, 64, 4) {

        @Override
        Point measure(Store store, int size, RunSize run) {
            return cycles(store, 1, size, KEYS_OF_SOME, run);
        }
    },

    /** One after the other by one client with 16 threads. p50 and p99: of a cycle; commands: for each cycle. */
    KEYS("keys", 100, 1_000_000, 10) {

        @Override
        Point measure(Store store, int size, RunSize run) {
            return cycles(store, 1, 16, size, run);
        }
    },

    /**
     * By one client, renewed. Per second: how many were taken; p50 and p99: of a cycle of another key meanwhile; commands: per
     * second.
     */
    HELD("locks held by one client", 100, 100_000, 10) {

        @Override
        Point measure(Store store, int size, RunSize run) {
            Before before = Before.now();
            try (Application application = store.application()) {
                LockClient client = application.locks();
                long started = Stopwatch.now();
                List<HeldLock> held =
                        LockThreads.hold(client, size, client.options().withLeaseTime(LEASE));
                double perSecond = size * 1e9 / (Stopwatch.now() - started);
                // Locks are renewed after a third of their lease: from then on, all of them in the same time.
                Stopwatch.pause(LEASE.dividedBy(3));
                long heap = before.heap();
                double commands = commandsDuring(store, LEASE.dividedBy(3)) * 3e9 / LEASE.toNanos();
                Times others = LockThreads.cycles(List.of(client), 1, KEYS_OF_SOME, window(run));
                long lost = held.stream().filter(lock -> !lock.isHeld()).count();
                Point point = new Point(
                        this,
                        size,
                        perSecond,
                        others.millis(MEDIAN),
                        others.millis(P99),
                        heap,
                        commands,
                        before.connections(),
                        Math.toIntExact(lost));
                LockThreads.release(held);
                return point;
            }
        }
    },

    /**
     * For one key, in one client, without a thread. Per second: grants once it is free; p50 and p99: from one grant to the next;
     * commands: per second while all wait.
     */
    WAITERS("calls that wait for one key", 1, 10_000, 10) {

        @Override
        Point measure(Store store, int size, RunSize run) {
            Before before = Before.now();
            try (Application holder = store.application();
                    Application waiter = store.application()) {
                HeldLock first = holder.locks().acquire(waited(holder.locks()));
                List<CompletableFuture<HeldLock>> waiting = IntStream.range(0, size)
                        .mapToObj(each -> waiter.locks().acquireAsync(waited(waiter.locks())))
                        .toList();
                Stopwatch.pause(SETTLED);
                long heap = before.heap();
                double commands = commandsDuring(store, window(run)) / Stopwatch.seconds(window(run));
                long[] grants = handOn(first, waiting);
                long[] sorted = IntStream.range(1, grants.length)
                        .mapToLong(at -> grants[at] - grants[at - 1])
                        .sorted()
                        .toArray();
                Times times = new Times(sorted, grants[size] - grants[0]);
                return new Point(
                        this,
                        size,
                        times.perSecond(),
                        times.millis(MEDIAN),
                        times.millis(P99),
                        heap,
                        commands,
                        before.connections(),
                        0);
            }
        }

        /** The clock when the key became free, and at each grant after that. */
        private long[] handOn(HeldLock held, List<CompletableFuture<HeldLock>> waiting) {
            LongStream.Builder grants = LongStream.builder();
            grants.add(Stopwatch.now());
            held.release();
            waiting.forEach(next -> {
                HeldLock lock = next.join();
                grants.add(Stopwatch.now());
                lock.release();
            });
            return grants.build().toArray();
        }

        private LockRequest waited(LockClient client) {
            return client.request("waited-for").withWaitTime(Duration.ofMinutes(10));
        }
    };

    /** Renewals are due after a third of it. */
    static final Duration LEASE = Duration.ofSeconds(15);

    private static final int KEYS_OF_SOME = 1_000;
    private static final int COUNTED_CYCLES = 200;
    private static final Duration SETTLED = Duration.ofSeconds(2);
    private static final double MEDIAN = 0.5;
    private static final double P99 = 0.99;

    private final String title;
    private final int least;
    private final int most;
    private final int factor;

    Curve(String title, int least, int most, int factor) {
        this.title = title;
        this.least = least;
        this.most = most;
        this.factor = factor;
    }

    /** What is on the axis of sizes. */
    String title() {
        return title;
    }

    /** The sizes at which to measure: in a short run without the largest, which take minutes. */
    List<Integer> sizes(RunSize run) {
        int end = Math.min(most, run.of(most, 10_000, 100));
        return IntStream.iterate(least, size -> size <= end, size -> size * factor)
                .boxed()
                .toList();
    }

    abstract Point measure(Store store, int size, RunSize run);

    private static Duration window(RunSize run) {
        return Duration.ofMillis(run.of(10_000, 2_000, 200));
    }

    private static double commandsDuring(Store store, Duration time) {
        try (CommandCount count = store.countCommands()) {
            Stopwatch.pause(time);
            return count.soFar();
        }
    }

    /** Keys that nobody else wants: what is measured is the store and the client, not waiting. */
    Point cycles(Store store, int clients, int threads, int keys, RunSize run) {
        Before before = Before.now();
        List<Application> applications = IntStream.range(0, clients)
                .mapToObj(each -> store.application())
                .toList();
        try {
            List<LockClient> locks =
                    applications.stream().map(Application::locks).toList();
            LockThreads.cycles(locks, threads, keys, window(run).dividedBy(4));
            Times times = LockThreads.cycles(locks, threads, keys, window(run));
            long heap = before.heap();
            double commands;
            try (CommandCount count = store.countCommands()) {
                LockClient one = locks.get(0);
                for (int cycle = 0; cycle < COUNTED_CYCLES; cycle++) {
                    one.acquire(one.request("counted", Integer.toString(cycle))).close();
                }
                commands = (double) count.soFar() / COUNTED_CYCLES;
            }
            int size = this == KEYS ? keys : threads;
            return new Point(
                    this,
                    size,
                    times.perSecond(),
                    times.millis(MEDIAN),
                    times.millis(P99),
                    heap,
                    commands,
                    before.connections(),
                    0);
        } finally {
            applications.forEach(Application::close);
        }
    }
}
