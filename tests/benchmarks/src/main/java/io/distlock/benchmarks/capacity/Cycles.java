package io.distlock.benchmarks.capacity;

import io.distlock.LockClient;
import io.distlock.benchmarks.capacity.Cost.ProcessorMicros;
import io.distlock.benchmarks.capacity.LockThreads.Times;
import io.distlock.benchmarks.measure.RunSize;
import io.distlock.benchmarks.measure.Stopwatch;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.LockServers;
import io.distlock.benchmarks.store.LockServers.CommandCount;
import io.distlock.benchmarks.store.NeighbourProcess;
import io.distlock.benchmarks.store.NeighbourProcess.Cycled;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Locks that are taken and given back, of keys that nobody else wants: what is measured is the store and the client, not
 * waiting. Commands and processor time are for each cycle.
 */
final class Cycles {

    static final int SOME_KEYS = 1_000;
    static final int SOME_THREADS = 16;

    /** A heap that suits a small service, and the compiler that is done soon: 64 of them share two processors. */
    private static final List<String> SMALL = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private static final int ROUNDS = 5;
    private static final int STARTED_AT_ONCE = 8;
    private static final int COUNTED = 200;
    private static final Duration TO_COMPILE = Duration.ofMillis(2_500);
    private static final Duration TIME_TO_BE_READY = Duration.ofMillis(200);

    private Cycles() {}

    /** By clients in this JVM. */
    static Cost measure(LockServers servers, int clients, int threads, int keys, RunSize run) {
        Before before = Before.now();
        List<Application> applications = IntStream.range(0, clients)
                .mapToObj(each -> servers.application())
                .toList();
        try {
            List<LockClient> locks =
                    applications.stream().map(Application::locks).toList();
            if (keys > SOME_KEYS) {
                LockThreads.eachOnce(locks.get(0), keys);
            }
            Duration time = window(run).dividedBy(ROUNDS);
            LockThreads.cycles(locks, threads, keys, time);
            Round middle = middle(() -> {
                ProcessorUse use = ProcessorUse.start(servers);
                Times times = LockThreads.cycles(locks, threads, keys, time);
                return new Round(times, use.forEach(times.count()));
            });
            return Cost.of(
                    middle.times,
                    before.heap(),
                    commands(servers, count -> warm(locks.get(0), count)),
                    before.connections(),
                    middle.processor);
        } finally {
            applications.forEach(Application::close);
        }
    }

    private static void warm(LockClient client, int cycles) {
        for (int cycle = 0; cycle < cycles; cycle++) {
            client.acquire(client.request("counted", Integer.toString(cycle))).close();
        }
    }

    private static double commands(LockServers servers, Consumer<Integer> cycles) {
        // A key's first time may cost more.
        cycles.accept(COUNTED);
        try (CommandCount count = servers.countCommands()) {
            cycles.accept(COUNTED);
            return (double) count.soFar() / COUNTED;
        }
    }

    /** By clients in a JVM of their own each, with one thread. The heap is that of the largest one. */
    static Cost ofProcesses(Store store, int size, RunSize run) {
        List<NeighbourProcess> processes = new ArrayList<>();
        try {
            while (processes.size() < size) {
                processes.addAll(NeighbourProcess.on(store, Math.min(STARTED_AT_ONCE, size - processes.size()), SMALL));
            }
            // They share the processors, and each has to compile the same.
            together(processes, window(run).plus(run == RunSize.TINY ? Duration.ZERO : TO_COMPILE.multipliedBy(size)));
            List<Long> heaps = new ArrayList<>();
            Round middle = middle(() -> {
                ProcessorUse use = ProcessorUse.start(store);
                List<Cycled> cycled = together(processes, window(run).dividedBy(ROUNDS));
                cycled.forEach(each -> heaps.add(each.heap()));
                Times times = new Times(
                        cycled.stream()
                                .flatMapToLong(each -> each.nanos().stream().mapToLong(Long::longValue))
                                .sorted()
                                .toArray(),
                        window(run).dividedBy(ROUNDS).toNanos());
                double clients = cycled.stream().mapToDouble(Cycled::processor).sum();
                return new Round(times, use.forEach(times.count(), clients));
            });
            return Cost.of(
                    middle.times,
                    Collections.max(heaps),
                    commands(store, processes.get(0)::warmUp),
                    processes.stream()
                            .mapToInt(each -> Before.openSockets(each.pid()))
                            .sum(),
                    middle.processor);
        } finally {
            processes.forEach(NeighbourProcess::close);
        }
    }

    /** One of several that are measured alike. */
    private record Round(Times times, ProcessorMicros processor) {}

    /** That of median throughput: whatever else the machine does for a moment meets few of them. */
    private static Round middle(Supplier<Round> round) {
        return Stream.generate(round)
                .limit(ROUNDS)
                .sorted(Comparator.comparing(each -> each.times.perSecond()))
                .toList()
                .get(ROUNDS / 2);
    }

    /** All begin at the same time. */
    private static List<Cycled> together(List<NeighbourProcess> processes, Duration time) {
        long from = Stopwatch.now() + TIME_TO_BE_READY.toNanos();
        for (int at = 0; at < processes.size(); at++) {
            processes.get(at).cycle(at * SOME_KEYS / processes.size(), SOME_KEYS, from, time);
        }
        return processes.stream().map(NeighbourProcess::cycled).toList();
    }

    static Duration window(RunSize run) {
        return Duration.ofMillis(run.of(10_000, 2_500, 200));
    }
}
