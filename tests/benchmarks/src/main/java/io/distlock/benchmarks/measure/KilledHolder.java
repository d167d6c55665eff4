package io.distlock.benchmarks.measure;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.benchmarks.measure.Rounds.Median;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.NeighbourProcess;
import io.distlock.benchmarks.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** How soon a lock is had whose holder was killed. */
final class KilledHolder implements Measurement {

    private static final String ITEM = "killed";

    /** For the phase of the renewals in which the holder dies; always the same, so that runs are alike. */
    private static final long SEED = 20_26;

    @Override
    public String name() {
        return "killed-holder";
    }

    @Override
    public String title() {
        return "Kill (SIGKILL) the JVM that holds a lock for which this one waits";
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        Duration lease = size.millis(6_000, 3_000, 5_000);
        // In the smallest form soon, so that the holder has its lock even if it cannot renew it.
        int longestHold = size.of((int) lease.toMillis(), (int) lease.toMillis(), 300);
        Random random = new Random(SEED);
        long[] late = new long[size.of(10, 4, 1)];
        long[] remaining = new long[late.length];
        try (Application application = store.application()) {
            for (int death = 0; death < late.length; death++) {
                Duration heldFor = Duration.ofMillis(300 + random.nextInt(longestHold));
                try (Death each = Death.after(heldFor, lease, store, application)) {
                    late[death] = each.nanosLate();
                    remaining[death] = each.remainingNanos();
                }
            }
        }
        double worst = Arrays.stream(late).asDoubleStream().max().orElseThrow();
        report.note("%d holders with a lease of %d ms, killed at some time between renewals"
                .formatted(late.length, lease.toMillis()));
        report.figure("remaining time to live at death, median", Stopwatch.millis(Median.of(remaining)), "ms");
        report.figure("had later than that by, median", Stopwatch.millis(Median.of(late)), "ms");
        report.figure("had later than that by, worst", Stopwatch.millis(worst), "ms", Target.atMost((double)
                store.targets().late().toMillis()));
    }

    /**
     * What followed a death.
     *
     * @param remainingNanos of the time to live, right after it
     * @param nanosLate from the end of the time to live until the next owner had the lock
     */
    private record Death(long remainingNanos, long nanosLate, HeldLock next) implements AutoCloseable {

        static Death after(Duration heldFor, Duration lease, Store store, Application application) {
            var locks = application.locks();
            LockRequest request = NeighbourProcess.request(locks, ITEM, lease);
            try (NeighbourProcess neighbour = NeighbourProcess.on(store)) {
                neighbour.take(ITEM, lease);
                neighbour.taken();
                CompletableFuture<Long> had = new CompletableFuture<>();
                CompletableFuture<HeldLock> waiting = locks.acquireAsync(request);
                waiting.thenRun(() -> had.complete(Stopwatch.now()));
                Stopwatch.pause(heldFor);
                neighbour.kill();
                long dead = Stopwatch.now();
                long remaining = remaining(application, request.keys().get(0)).toNanos();
                HeldLock next = waiting.join();
                return new Death(remaining, had.join() - dead - remaining, next);
            }
        }

        private static Duration remaining(Application application, LockKey key) {
            LockStatus status = application.locks().inspect(key).orElseThrow();
            return status.holders().get(0).remaining().orElseThrow();
        }

        @Override
        public void close() {
            next.close();
        }
    }
}
