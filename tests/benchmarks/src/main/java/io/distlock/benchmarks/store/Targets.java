package io.distlock.benchmarks.store;

import io.distlock.benchmarks.report.Target;
import java.time.Duration;
import java.util.Optional;

/**
 * What is asked of our client on a store. Ratios are to the bare driver in the same run.
 *
 * @param commands of a cycle that nobody disturbs, counted at all servers
 * @param p50 ratio of the times of such a cycle
 * @param throughput ratio, with many threads
 * @param cpu ratio for each cycle, with many threads
 * @param heap bytes for each lock that is held
 * @param renewals commands per second and server, for 10,000 locks with a lease of 30 s
 * @param late how long after the end of its time to live a lock whose holder was killed is had at the latest
 */
public record Targets(
        Target commands,
        Target p50,
        Target throughput,
        Optional<Target> cpu,
        Optional<Target> heap,
        int renewals,
        Duration late) {

    private static final int RENEWALS = 60;
    private static final Duration LATE = Duration.ofMillis(500);

    /** For a store that renews locks one by one, and frees them as soon as their time is over. */
    public Targets(Target commands, Target p50, Target throughput, Optional<Target> cpu, Optional<Target> heap) {
        this(commands, p50, throughput, cpu, heap, RENEWALS, LATE);
    }
}
