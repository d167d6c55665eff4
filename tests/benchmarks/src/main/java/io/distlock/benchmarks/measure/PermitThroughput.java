package io.distlock.benchmarks.measure;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.benchmarks.measure.Rounds.Median;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.LockServers.CommandCount;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.DoubleStream;

/** Eight applications that want one of three permits again and again, compared with one lock that they want. */
final class PermitThroughput implements Measurement {

    private static final int APPLICATIONS = 8;
    private static final int PERMITS = 3;
    private static final Duration WORK = Duration.ofMillis(5);

    @Override
    public String name() {
        return "permits";
    }

    @Override
    public String title() {
        return "Take one of %d permits from %d applications at once".formatted(PERMITS, APPLICATIONS);
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        List<Application> applications = new ArrayList<>();
        try {
            for (int each = 0; each < APPLICATIONS; each++) {
                applications.add(store.application());
            }
            compare(store, applications, Duration.ZERO, size, report);
            compare(store, applications, WORK, size, report);
        } finally {
            applications.forEach(Application::close);
        }
    }

    private static void compare(
            Store store, List<Application> applications, Duration work, RunSize size, Report report) {
        int rounds = size.of(9, 5, 1);
        double[] ratios = new double[rounds];
        Turn lock = new Turn(0, 0);
        Turn permits = lock;
        for (int round = 0; round < rounds; round++) {
            lock = turn(store, applications, 1, work, size);
            permits = turn(store, applications, PERMITS, work, size);
            ratios[round] = PERMITS * lock.rate / permits.rate;
        }
        String when = ", work of %d ms".formatted(work.toMillis());
        report.figure("commands for a grant of one lock" + when, lock.commands, "");
        report.figure("commands for a grant of a permit" + when, permits.commands, "");
        report.figure("grants per second of one lock" + when, lock.rate, "/s");
        report.figure("grants per second of permits" + when, permits.rate, "/s");
        report.figure(
                "%d × one lock's throughput by that of permits".formatted(PERMITS) + when,
                Median.of(DoubleStream.of(ratios)),
                "",
                Target.atMost(1.3));
    }

    private record Turn(double rate, double commands) {}

    private static Turn turn(Store store, List<Application> applications, int permits, Duration work, RunSize size) {
        AtomicInteger grants = new AtomicInteger();
        AtomicBoolean goOn = new AtomicBoolean(true);
        List<Thread> threads = new ArrayList<>();
        try (CommandCount commands = store.countCommands()) {
            Stopwatch watch = Stopwatch.start();
            for (Application each : applications) {
                Thread thread = new Thread(() -> take(each.locks(), permits, work, goOn, grants), "permits");
                thread.start();
                threads.add(thread);
            }
            Stopwatch.pause(size.millis(2_000, 1_000, 200));
            goOn.set(false);
            threads.forEach(PermitThroughput::join);
            return new Turn(grants.get() * 1e9 / watch.nanos(), (double) commands.soFar() / grants.get());
        }
    }

    private static void take(LockClient locks, int permits, Duration work, AtomicBoolean goOn, AtomicInteger grants) {
        while (goOn.get()) {
            try (HeldLock held = locks.acquire(
                    locks.request("permits-" + permits).withPermits(permits).withWaitTime(Duration.ofMinutes(1)))) {
                Stopwatch.pause(work);
                held.ensureHeld();
                grants.incrementAndGet();
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }
}
