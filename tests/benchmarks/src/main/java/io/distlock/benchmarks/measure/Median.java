package io.distlock.benchmarks.measure;

import java.util.Arrays;
import java.util.stream.DoubleStream;

/** The middle one of many: what half of them do not exceed. Says nothing of none. */
final class Median {

    private Median() {}

    static double of(DoubleStream values) {
        return of(values.toArray());
    }

    static double of(long[] values) {
        return of(Arrays.stream(values).asDoubleStream());
    }

    private static double of(double[] values) {
        if (values.length == 0) {
            return Double.NaN;
        }
        Arrays.sort(values);
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }
}
