package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Contestants measured in turns, so that whatever else the machine does meets all of them. The order
 * changes from round to round, so that everybody comes after everybody else as often: one that leaves a mess behind would
 * harm its successor. They are compared within each round; the median of the rounds' ratios stands for all of them.
 *
 * @param <R> what a turn yields
 */
final class Rounds<R> {

    /** The same order in each run. */
    private static final int SEED = 42;

    private final List<Map<Object, R>> rounds = new ArrayList<>();

    private Rounds() {}

    /**
     * Measures.
     *
     * @param turn lets a contestant do its work, and says how it went
     */
    static <C, R> Rounds<R> of(int rounds, List<C> contestants, Function<C, R> turn) {
        Rounds<R> all = new Rounds<>();
        List<C> order = new ArrayList<>(contestants);
        Random dice = new Random(SEED);
        for (int round = 0; round < rounds; round++) {
            Map<Object, R> results = new HashMap<>();
            order.forEach(contestant -> results.put(contestant, turn.apply(contestant)));
            all.rounds.add(results);
            Collections.shuffle(order, dice);
        }
        return all;
    }

    /** What all turns of one of them have yielded. */
    Stream<R> all(Object contestant) {
        return rounds.stream().map(round -> round.get(contestant));
    }

    double median(Object contestant, ToDoubleFunction<R> metric) {
        return Median.of(rounds.stream().mapToDouble(round -> metric.applyAsDouble(round.get(contestant))));
    }

    /** One to another. */
    double ratio(Object contestant, Object reference, ToDoubleFunction<R> metric) {
        return Median.of(rounds.stream()
                .mapToDouble(round ->
                        metric.applyAsDouble(round.get(contestant)) / metric.applyAsDouble(round.get(reference))));
    }

    /** The middle one of many: what half of them do not exceed. Says nothing of none. */
    static final class Median {

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

    /**
     * Rounds that do not count, until the compiler has little left to do. It would be measured otherwise, and whoever brings
     * more code would pay for it: on a busy machine it needs ten times as long as on an idle one.
     */
    static final class WarmUp {

        private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

        /** Of one processor, in each of the last rounds. */
        private static final double LITTLE = 0.03;

        private static final int CALM_ROUNDS = 2;

        private WarmUp() {}

        /** Says so if measuring begins although the compiler is still busy. */
        static <C> void rounds(RunSize size, List<C> contestants, Function<C, ?> turn, Report report) {
            int least = size.of(6, 6, 2);
            int most = size.of(100, 60, 1);
            int calm = 0;
            for (int round = 0; round < most && (round < least || calm < CALM_ROUNDS); round++) {
                calm = compilingDuring(contestants, turn) < LITTLE ? calm + 1 : 0;
            }
            if (calm < CALM_ROUNDS) {
                report.note("(not warm: after %d rounds the compiler is still busy)".formatted(most));
            }
        }

        private static <C> double compilingDuring(List<C> contestants, Function<C, ?> turn) {
            double before = COMPILER.getTotalCompilationTime();
            Stopwatch watch = Stopwatch.start();
            Rounds.of(1, contestants, turn);
            return (COMPILER.getTotalCompilationTime() - before) / Stopwatch.millis((double) watch.nanos());
        }
    }
}
