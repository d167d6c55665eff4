package io.distlock.benchmarks.measure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Contenders measured in turns, so that whatever else the machine does meets all of them. The order
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
     * @param turn lets a contender do its work, and says how it went
     */
    static <C, R> Rounds<R> of(int rounds, List<C> contenders, Function<C, R> turn) {
        Rounds<R> all = new Rounds<>();
        List<C> order = new ArrayList<>(contenders);
        Random dice = new Random(SEED);
        for (int round = 0; round < rounds; round++) {
            Map<Object, R> results = new HashMap<>();
            order.forEach(contender -> results.put(contender, turn.apply(contender)));
            all.rounds.add(results);
            Collections.shuffle(order, dice);
        }
        return all;
    }

    /** What all turns of one of them have yielded. */
    Stream<R> all(Object contender) {
        return rounds.stream().map(round -> round.get(contender));
    }

    double median(Object contender, ToDoubleFunction<R> metric) {
        return Median.of(rounds.stream().mapToDouble(round -> metric.applyAsDouble(round.get(contender))));
    }

    /** One to another. */
    double ratio(Object contender, Object reference, ToDoubleFunction<R> metric) {
        return Median.of(rounds.stream()
                .mapToDouble(round ->
                        metric.applyAsDouble(round.get(contender)) / metric.applyAsDouble(round.get(reference))));
    }
}
