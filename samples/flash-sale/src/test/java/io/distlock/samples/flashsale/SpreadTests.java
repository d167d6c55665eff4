package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SpreadTests {

    @Test
    void ranksDurationsWhateverTheirOrder() {
        List<Duration> downwards = LongStream.rangeClosed(1, 100)
                .mapToObj(millis -> Duration.ofMillis(101 - millis))
                .toList();

        assertThat(Spread.of(downwards)).isEqualTo(new Spread(50, 95, 100));
    }

    @Test
    void ofOneIsThatOne() {
        assertThat(Spread.of(List.of(Duration.ofNanos(1_500_000)))).isEqualTo(new Spread(1.5, 1.5, 1.5));
    }

    @Test
    void ofNoneIsZero() {
        assertThat(Spread.of(List.of())).isEqualTo(new Spread(0, 0, 0));
    }
}
