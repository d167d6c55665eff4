package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.store.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Two contenders measured in turns, so that whatever else the machine does meets both. Who goes first changes from round
 * to round. They are compared within each round; the median of the rounds' ratios stands for all of them.
 *
 * @param <R> what a turn yields
 */
final class Rounds<R> {

    private final List<Round<R>> rounds = new ArrayList<>();

    private record Round<R>(R ours, R theirs) {}

    private Rounds() {}

    /**
     * Measures.
     *
     * @param turn lets a contender do its work, and says how it went
     */
    static <R> Rounds<R> of(int rounds, Contender ours, Contender theirs, Function<Contender, R> turn) {
        Rounds<R> all = new Rounds<>();
        for (int round = 0; round < rounds; round++) {
            if (round % 2 == 0) {
                R first = turn.apply(ours);
                all.rounds.add(new Round<>(first, turn.apply(theirs)));
            } else {
                R first = turn.apply(theirs);
                all.rounds.add(new Round<>(turn.apply(ours), first));
            }
        }
        return all;
    }

    double ours(ToDoubleFunction<R> metric) {
        return Median.of(rounds.stream().mapToDouble(round -> metric.applyAsDouble(round.ours)));
    }

    double theirs(ToDoubleFunction<R> metric) {
        return Median.of(rounds.stream().mapToDouble(round -> metric.applyAsDouble(round.theirs)));
    }

    /** Ours to theirs. */
    double ratio(ToDoubleFunction<R> metric) {
        return Median.of(rounds.stream()
                .mapToDouble(round -> metric.applyAsDouble(round.ours) / metric.applyAsDouble(round.theirs)));
    }
}
