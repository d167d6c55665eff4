package io.distlock.benchmarks.report;

import java.util.Locale;

/**
 * What a figure ought to be.
 *
 * @param comparison how the figure relates to the bound
 * @param bound the bound, itself allowed
 * @param nature whether the machine may be blamed if it is missed
 */
public record Target(Comparison comparison, double bound, Nature nature) {

    /** How a figure relates to its bound. */
    public enum Comparison {
        AT_MOST("≤"),
        AT_LEAST("≥"),
        EXACTLY("=");

        private final String sign;

        Comparison(String sign) {
            this.sign = sign;
        }
    }

    /** What a figure depends on. */
    public enum Nature {

        /** The same on every machine: commands, threads, losses. */
        COUNT,

        /** Depends on the machine, and on what else it does at the time. */
        TIMING
    }

    /** A count that is to be exactly this. */
    public static Target exactly(double count) {
        return new Target(Comparison.EXACTLY, count, Nature.COUNT);
    }

    /** A count that is to be this or less. */
    public static Target countAtMost(double bound) {
        return new Target(Comparison.AT_MOST, bound, Nature.COUNT);
    }

    /** A time, or a ratio of times, that is to be this or less. */
    public static Target atMost(double bound) {
        return new Target(Comparison.AT_MOST, bound, Nature.TIMING);
    }

    /** A rate, or a ratio of rates, that is to be this or more. */
    public static Target atLeast(double bound) {
        return new Target(Comparison.AT_LEAST, bound, Nature.TIMING);
    }

    /** False for what is no number, too: what could not be measured has not been reached. */
    boolean isMetBy(double value) {
        return switch (comparison) {
            case AT_MOST -> value <= bound;
            case AT_LEAST -> value >= bound;
            case EXACTLY -> value == bound;
        };
    }

    @Override
    public String toString() {
        boolean whole = bound == Math.rint(bound);
        return comparison.sign + ' ' + String.format(Locale.ROOT, whole ? "%.0f" : "%.2f", bound);
    }
}
