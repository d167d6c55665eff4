package io.distlock.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class MeterNameLimiterTests {

    private final MeterNameLimiter names = new MeterNameLimiter();

    @BeforeEach
    void fill() {
        IntStream.range(0, MeterNameLimiter.MOST).forEach(each -> names.of("order-" + each));
    }

    @Test
    void aHundredNamesKeepTheirOwnTagWhateverComesLater() {
        assertThat(names.of("one-too-many")).isEqualTo(MeterNameLimiter.OTHER);
        assertThat(IntStream.range(0, MeterNameLimiter.MOST).mapToObj(each -> names.of("order-" + each)))
                .doesNotContain(MeterNameLimiter.OTHER);
    }

    @Test
    void theNamesOfAnnotationsHaveTheirOwnTagBeyondTheHundredAndTakeNoneOfThem() {
        MeterNameLimiter fresh = new MeterNameLimiter();
        IntStream.range(0, 2 * MeterNameLimiter.MOST).forEach(each -> fresh.declare("job-" + each));
        assertThat(IntStream.range(0, 2 * MeterNameLimiter.MOST).mapToObj(each -> fresh.of("job-" + each)))
                .doesNotContain(MeterNameLimiter.OTHER);
        assertThat(fresh.of("order-1")).isEqualTo("order-1");
        names.of("one-too-many");
        names.declare("late");
        assertThat(names.of("late")).isEqualTo("late");
    }

    @Test
    void theFirstNameTooManyIsLoggedOnceAndTheHundredthIsNot(CapturedOutput output) {
        assertThat(output).doesNotContain("More than 100 lock names");
        names.of("one-too-many");
        names.of("another");
        assertThat(output.getOut().split("More than 100 lock names", -1)).hasSize(2);
        assertThat(output).contains("such as 'one-too-many'").doesNotContain("'another'");
    }
}
