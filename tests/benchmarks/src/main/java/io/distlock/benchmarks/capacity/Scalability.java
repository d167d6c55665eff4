package io.distlock.benchmarks.capacity;

import java.util.List;

/**
 * Gunther's Universal Scalability Law ("Guerrilla Capacity Planning", 2007), as the mean time of one of n that work at once:
 * alone + (n − 1) · (shared + n · mutual), so that they do n in that time.
 *
 * @param alone milliseconds of a cycle of one
 * @param shared milliseconds that each further one adds, which is the time of whatever all of them share (Amdahl's law)
 * @param mutual milliseconds that each adds to each other one
 */
record Scalability(double alone, double shared, double mutual) {

    /** @param millis of one of so many */
    record Sample(int count, double millis) {}

    static Scalability of(List<Sample> samples) {
        double[] prices =
                LeastSquares.prices(samples.stream().map(Sample::millis).toList(), index -> {
                    double count = samples.get(index).count();
                    return new double[] {1, count - 1, count * (count - 1)};
                });
        return new Scalability(prices[0], prices[1], prices[2]);
    }

    double millis(double count) {
        return alone + (count - 1) * (shared + count * mutual);
    }

    /** From how many on more of them bring little. */
    double knee() {
        return alone / shared;
    }
}
