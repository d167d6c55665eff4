package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Everything that can happen to the fencing tokens of a few acquisitions, one after the other or at once, on three nodes:
 * each order of requests and decisions, with the lock expiring on any node at any moment. Exclusion is broken all the time;
 * the tokens must grow nevertheless.
 *
 * <p>A grant may be restored on any node that is free, at any time. One node may be restarted without its data, or
 * lose its counter, alone or with the rest, while it runs; it votes again once whatever was begun before is over.
 *
 * <p>What is small enough to be looked at completely: two acquisitions by three nodes.
 */
class FencingModelTests {

    @ParameterizedTest
    @CsvSource({"0,0,0", "0,1,2", "5,0,0"})
    void tokensGrowWhateverTheOrder(int first, int second, int third) {
        assertThat(findRepeat(new FencingModel(2, first, second, third), FencingRule.COMPLETE))
                .isEmpty();
    }

    /** It proves the model. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"COMPLETE", "ADMITTING_BY_THE_OWN_CLOCK", "VOTING_WITHOUT_A_COUNTER", "ADMITTING_AT_ONCE"})
    void withoutOneOfTheRulesTheyRepeat(FencingRule rule) {
        assertThat(findRepeat(new FencingModel(2, 0, 1, 2), rule)).isPresent();
    }

    /** A node that is ahead takes part in the first grant and not in the second, one that forgot takes part in both. */
    @Test
    void tokensGrowThoughANodeIsAheadAndAnotherForgets() {
        FencingModel start = new FencingModel(2, 3, 0, 0).withRestartOf(2);
        assertThat(findRepeat(start, FencingRule.COMPLETE)).isEmpty();
        assertThat(findRepeat(start, FencingRule.ADMITTING_BY_THE_OWN_CLOCK)).isPresent();
    }

    /** The same, but the one that loses its counter, alone or with the rest, is not restarted. */
    @Test
    void tokensGrowThoughANodeLosesItsCounterWhileItRuns() {
        FencingModel start = new FencingModel(2, 3, 0, 0).withLossOn(2);
        assertThat(findRepeat(start, FencingRule.COMPLETE)).isEmpty();
        assertThat(findRepeat(start, FencingRule.VOTING_WITHOUT_A_COUNTER)).isPresent();
        assertThat(findRepeat(start, FencingRule.ADMITTING_BY_THE_OWN_CLOCK)).isPresent();
        // Where all are behind, one more acquisition under way is needed, which had counted on the lost counter.
        assertThat(findRepeat(new FencingModel(2, 0, 1, 2).withLossOn(2), FencingRule.ADMITTING_AT_ONCE))
                .isPresent();
    }

    private static Optional<FencingModel> findRepeat(FencingModel start, FencingRule rule) {
        Set<FencingModel> seen = new HashSet<>();
        Deque<FencingModel> open = new ArrayDeque<>(List.of(start));
        while (!open.isEmpty()) {
            FencingModel state = open.pop();
            if (seen.add(state)) {
                if (state.repeats()) {
                    return Optional.of(state);
                }
                state.successors(rule).forEach(open::push);
            }
        }
        assertThat(seen).as("what was looked at").hasSizeGreaterThan(1_000);
        return Optional.empty();
    }
}
