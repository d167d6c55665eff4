package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.Rounds.Median;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Store;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderListener;
import io.distlock.leader.LeaderTerm;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** From the moment at which a leader sets out to resign until another instance knows that it leads. */
final class TakeOver implements Measurement {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Until the next one stands at the store, and sleeps. */
    private static final Duration TO_FALL_ASLEEP = Duration.ofMillis(50);

    /** Where the store notifies. */
    private static final Target TARGET = Target.atMost(50);

    @Override
    public String name() {
        return "take-over";
    }

    @Override
    public String title() {
        return "Resign a role for which another instance stands";
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        long[] nanos = new long[size.of(200, 50, 3)];
        int growing = 0;
        try (Application one = store.application();
                Application other = store.application()) {
            Standing leader = new Standing(one);
            LeaderTerm last = leader.term();
            for (int round = 0; round < nanos.length; round++) {
                Standing next = new Standing(round % 2 == 0 ? other : one);
                Stopwatch.pause(TO_FALL_ASLEEP);
                long resigned = Stopwatch.now();
                leader.election.resign();
                LeaderTerm term = next.term();
                nanos[round] = next.electedNanos - resigned;
                growing += term.token().compareTo(last.token()) > 0 ? 1 : 0;
                leader.election.close();
                leader = next;
                last = term;
            }
            leader.election.close();
        }
        report.count("changes of leader with a larger term", growing, Target.exactly(nanos.length));
        report.figure("until another leads, median", Stopwatch.millis(Median.of(nanos)), "ms", TARGET);
    }

    /** An instance that stands for the role, and once. */
    private static final class Standing implements LeaderListener {

        private final CompletableFuture<LeaderTerm> elected = new CompletableFuture<>();
        private final LeaderElection election;
        private volatile long electedNanos;

        Standing(Application instance) {
            election = instance.election("benchmark", this);
            election.stand();
        }

        @Override
        public void onElected(LeaderTerm term) {
            electedNanos = Stopwatch.now();
            elected.complete(term);
        }

        LeaderTerm term() {
            return elected.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
        }
    }
}
