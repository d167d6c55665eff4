package io.distlock.benchmarks.measure;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.LockServers.CommandCount;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** What it costs to wait. */
final class ManyWaiters implements Measurement {

    private static final int WAITERS = 200;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration SETTLED = Duration.ofSeconds(2);

    /** So long that neither a renewal nor the end of the lease falls into the time in which commands are counted. */
    private static final Duration HOLDERS_LEASE = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "waiting";
    }

    @Override
    public String title() {
        return "Wait %d times for one key that another application holds, asynchronously".formatted(WAITERS);
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        try (Application holder = store.application();
                Application waiter = store.application()) {
            // Connected, subscribed, and compiled to some degree.
            HeldLock first = holder.locks().acquire(request(holder.locks()));
            handOn(first, wait(waiter.locks(), 1));

            HeldLock held = holder.locks().acquire(request(holder.locks()));
            long threads = Threads.everStartedOnceCalm();
            var waiting = wait(waiter.locks(), WAITERS);
            Duration window = size.millis(10_000, 10_000, 1_000);
            // Until the one that asks for all of them has subscribed, and looked once more.
            Stopwatch.pause(SETTLED);
            try (CommandCount commands = store.countCommands()) {
                Stopwatch.pause(window);
                double rate = commands.soFar() / Stopwatch.seconds(window);
                // One asks for all, every 2.5 to 5 s, in case it has missed a message.
                report.figure("client commands per second", rate, "/s", Target.atMost(WAITERS / 40.0));
            }
            long started = Threads.everStarted() - threads;
            report.count("threads started for them", started, Target.exactly(0));
            Stopwatch watch = Stopwatch.start();
            int served = handOn(held, waiting);
            report.count("waiters served in the end", served, Target.exactly(WAITERS));
            report.figure("time for each to hold it once", Stopwatch.millis((double) watch.nanos()) / WAITERS, "ms");
        }
    }

    private static List<CompletableFuture<HeldLock>> wait(LockClient locks, int waiters) {
        return IntStream.range(0, waiters)
                .mapToObj(each -> locks.acquireAsync(request(locks)))
                .toList();
    }

    /** Lets everybody have it once; how many did. */
    private static int handOn(HeldLock held, List<CompletableFuture<HeldLock>> waiting) {
        held.release();
        int served = 0;
        for (CompletableFuture<HeldLock> next : waiting) {
            next.join().release();
            served++;
        }
        return served;
    }

    private static LockRequest request(LockClient locks) {
        return locks.request("waited-for").withLeaseTime(HOLDERS_LEASE).withWaitTime(PATIENCE);
    }
}
