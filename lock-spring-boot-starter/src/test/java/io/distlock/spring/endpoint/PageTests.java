package io.distlock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PageTests {

    private static Stream<Integer> mixed(int numbers) {
        // 7 and the count have no common divisor: each number once.
        return IntStream.range(0, numbers).map(at -> at * 7 % numbers).boxed();
    }

    private static LocksDescriptor.Page<Integer> page(int offset, int limit) {
        return LocksDescriptor.Page.of(mixed(100), Comparator.naturalOrder(), offset, limit);
    }

    @Test
    void theFirstPageHoldsTheFirstByOrder() {
        assertThat(page(0, 3)).isEqualTo(new LocksDescriptor.Page<>(100, 0, List.of(0, 1, 2)));
    }

    @Test
    void aLaterPageGoesOnWhereTheOneBeforeEnded() {
        assertThat(page(50, 3).items()).containsExactly(50, 51, 52);
    }

    @Test
    void theLastPageIsShorter() {
        assertThat(page(98, 5).items()).containsExactly(98, 99);
    }

    @Test
    void beyondTheEndThereIsNothing() {
        assertThat(page(100, 5)).isEqualTo(new LocksDescriptor.Page<>(100, 100, List.of()));
        assertThat(page(Integer.MAX_VALUE, 500).items()).isEmpty();
    }
}
