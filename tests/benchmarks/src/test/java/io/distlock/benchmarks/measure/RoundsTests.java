package io.distlock.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.measure.Rounds.Median;
import io.distlock.benchmarks.store.Contestant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoundsTests {

    private final Scripted ours = new Scripted("ours", 10, 20, 60);
    private final Scripted theirs = new Scripted("theirs", 10, 10, 20);
    private final List<String> turns = new ArrayList<>();

    /** The dice are always the same. */
    @Test
    void everybodyComesAfterEverybodyElse() {
        Rounds.of(60, List.of("a", "b", "c"), turns::add);
        Map<String, Long> sequels = IntStream.range(1, turns.size())
                .mapToObj(turn -> turns.get(turn - 1) + turns.get(turn))
                .collect(Collectors.groupingBy(sequel -> sequel, Collectors.counting()));
        for (String sequel : List.of("ab", "ac", "ba", "bc", "ca", "cb")) {
            assertThat(sequels.get(sequel)).as(sequel).isBetween(15L, 35L);
        }
    }

    @Test
    void theRatioIsTheMedianOfThoseOfTheRounds() {
        assertThat(rounds().ratio(ours, theirs, Double::doubleValue)).isEqualTo(2);
    }

    @Test
    void eachSideHasItsOwnMedian() {
        Rounds<Double> rounds = rounds();
        assertThat(rounds.median(ours, Double::doubleValue)).isEqualTo(20);
        assertThat(rounds.median(theirs, Double::doubleValue)).isEqualTo(10);
    }

    @Test
    void theMedianIsTheMiddleOneOrBetweenTheTwo() {
        assertThat(Median.of(DoubleStream.of(9, 1, 2))).isEqualTo(2);
        assertThat(Median.of(DoubleStream.of(9, 1, 2, 3))).isEqualTo(2.5);
        assertThat(Median.of(new long[] {7})).isEqualTo(7);
        assertThat(Median.of(new long[0])).isNaN();
    }

    private Rounds<Double> rounds() {
        return Rounds.of(3, List.of(ours, theirs), contestant -> contestant.results.pop());
    }

    private static final class Scripted implements Contestant {

        private final String name;
        private final Deque<Double> results;

        Scripted(String name, double... results) {
            this.name = name;
            this.results = DoubleStream.of(results).boxed().collect(Collectors.toCollection(ArrayDeque::new));
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void cycle(int item) {}

        @Override
        public void close() {}
    }
}
