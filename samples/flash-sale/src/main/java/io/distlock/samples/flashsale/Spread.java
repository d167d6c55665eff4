package io.distlock.samples.flashsale;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How a set of durations is spread, in milliseconds; all zero if there are none.
 *
 * @param p50 half of them took no longer
 * @param p95 95 of 100 took no longer
 * @param max none took longer
 */
record Spread(double p50, double p95, double max) {

    private static final double MICROS_PER_MILLI = 1e3;

    static Spread of(Collection<Duration> durations) {
        List<Duration> sorted = durations.stream().sorted().toList();
        return sorted.isEmpty()
                ? new Spread(0, 0, 0)
                : new Spread(rank(sorted, 0.50), rank(sorted, 0.95), rank(sorted, 1));
    }

    /** The smallest value that has the given share of all values at or below it (nearest rank). */
    private static double rank(List<Duration> sorted, double share) {
        int index = (int) Math.ceil(share * sorted.size()) - 1;
        return TimeUnit.NANOSECONDS.toMicros(sorted.get(index).toNanos()) / MICROS_PER_MILLI;
    }
}
