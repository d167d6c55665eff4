package io.distlock.benchmarks.capacity;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.benchmarks.capacity.Cost.ProcessorMicros;
import io.distlock.benchmarks.capacity.LockThreads.Times;
import io.distlock.benchmarks.measure.RunSize;
import io.distlock.benchmarks.measure.Stopwatch;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.LockServers;
import io.distlock.benchmarks.store.LockServers.CommandCount;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Locks that are held for long, and those who wait for one meanwhile. */
final class Holding {

    private static final Duration SETTLED = Duration.ofSeconds(2);
    private static final Duration LEAST_WINDOW = Duration.ofSeconds(3);

    private Holding() {}

    /**
     * By one client, renewed. Per second: how many were taken; p50 and p99: of a cycle of another key meanwhile; commands and
     * processor time: per second.
     */
    static Cost held(LockServers servers, int locks, Duration lease, RunSize run) {
        Before before = Before.now();
        try (Application application = servers.application()) {
            LockClient client = application.locks();
            Stopwatch taking = Stopwatch.start();
            List<HeldLock> held =
                    LockThreads.hold(client, locks, client.options().withLeaseTime(lease));
            double perSecond = locks * 1e9 / taking.nanos();
            // Locks are renewed after a third of their lease: from then on, all of them in the same time.
            Duration third = lease.dividedBy(3);
            Stopwatch.pause(third);
            long heap = before.heap();
            Duration window = third.multipliedBy(1 + LEAST_WINDOW.dividedBy(third));
            ProcessorUse use = ProcessorUse.start(servers);
            Stopwatch.pause(window);
            ProcessorMicros processor = use.forEach(Stopwatch.seconds(window));
            // Not at the same time: on Redis, to be counted makes each command dearer.
            double commands = commandsPerSecond(servers, third);
            Times others = LockThreads.cycles(List.of(client), 1, Cycles.SOME_KEYS, Cycles.window(run));
            long lost = held.stream().filter(lock -> !lock.isHeld()).count();
            Cost cost = new Cost(
                    perSecond,
                    others.median(),
                    others.p99(),
                    heap,
                    commands,
                    before.connections(),
                    Math.toIntExact(lost),
                    processor);
            LockThreads.release(held);
            return cost;
        }
    }

    /**
     * For one key, in one client, without a thread. Per second: grants once it is free; p50 and p99: from one grant to the next;
     * commands: per second while all wait; processor time: for each grant.
     */
    static Cost waiters(LockServers servers, int size, RunSize run) {
        Before before = Before.now();
        try (Application holder = servers.application();
                Application waiter = servers.application()) {
            HeldLock first = holder.locks().acquire(waited(holder.locks()));
            List<CompletableFuture<HeldLock>> waiting = IntStream.range(0, size)
                    .mapToObj(each -> waiter.locks().acquireAsync(waited(waiter.locks())))
                    .toList();
            Stopwatch.pause(SETTLED);
            long heap = before.heap();
            double commands = commandsPerSecond(servers, Cycles.window(run));
            ProcessorUse use = ProcessorUse.start(servers);
            long[] grants = handOn(first, waiting);
            ProcessorMicros processor = use.forEach(size);
            long[] sorted = IntStream.range(1, grants.length)
                    .mapToLong(at -> grants[at] - grants[at - 1])
                    .sorted()
                    .toArray();
            return Cost.of(
                    new Times(sorted, grants[size] - grants[0]), heap, commands, before.connections(), processor);
        }
    }

    /** The clock when the key became free, and at each grant after that. */
    private static long[] handOn(HeldLock held, List<CompletableFuture<HeldLock>> waiting) {
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

    private static LockRequest waited(LockClient client) {
        return client.request("waited-for").withWaitTime(Duration.ofMinutes(10));
    }

    private static double commandsPerSecond(LockServers servers, Duration time) {
        try (CommandCount count = servers.countCommands()) {
            Stopwatch.pause(time);
            return count.soFar() / Stopwatch.seconds(time);
        }
    }
}
