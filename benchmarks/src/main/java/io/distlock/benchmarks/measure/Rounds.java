package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.store.Contender;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Contenders measured in turns, so that whatever else the machine does meets all of them. Who goes first changes from
 * round to round. They are compared within each round; the median of the rounds' ratios stands for all of them.
 *
 * @param <R> what a turn yields
 */
final class Rounds<R> {

    private final List<Map<Contender, R>> rounds = new ArrayList<>();

    private Rounds() {}

    /**
     * Measures.
     *
     * @param turn lets a contender do its work, and says how it went
     */
    static <R> Rounds<R> of(int rounds, List<Contender> contenders, Function<Contender, R> turn) {
        Rounds<R> all = new Rounds<>();
        List<Contender> order = new ArrayList<>(contenders);
        for (int round = 0; round < rounds; round++) {
            Map<Contender, R> results = new HashMap<>();
            order.forEach(contender -> results.put(contender, turn.apply(contender)));
            all.rounds.add(results);
            Collections.rotate(order, 1);
        }
        return all;
    }

    double median(Contender contender, ToDoubleFunction<R> metric) {
        return Median.of(rounds.stream().mapToDouble(round -> metric.applyAsDouble(round.get(contender))));
    }

    /** One to another. */
    double ratio(Contender contender, Contender reference, ToDoubleFunction<R> metric) {
        return Median.of(rounds.stream()
                .mapToDouble(round ->
                        metric.applyAsDouble(round.get(contender)) / metric.applyAsDouble(round.get(reference))));
    }
}
