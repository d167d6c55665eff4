package io.distlock.benchmarks.store;

import io.distlock.benchmarks.report.Target;
import java.util.Optional;

/**
 * What is asked of our client on a store. Ratios are to the bare driver in the same run.
 *
 * @param commands of a cycle that nobody disturbs, counted at all servers
 * @param p50 ratio of the times of such a cycle
 * @param throughput ratio, with many threads
 * @param cpu ratio for each cycle, with many threads
 * @param heap bytes for each lock that is held
 */
public record Targets(Target commands, Target p50, Target throughput, Optional<Target> cpu, Optional<Target> heap) {}
