package io.distlock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.benchmarks.measure.Effort;
import io.distlock.benchmarks.measure.Measurement;
import io.distlock.benchmarks.measure.Measurements;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArgumentsTests {

    private final List<Measurement> known = Measurements.all();

    @Test
    void nothingAsksForEverything() {
        Arguments arguments = Arguments.parse(known);
        assertThat(arguments.effort()).isEqualTo(Effort.FULL);
        assertThat(arguments.strict()).isFalse();
        assertThat(arguments.measurements()).isEqualTo(known);
    }

    @Test
    void namesAskForThoseInTheirOrder() {
        Arguments arguments = Arguments.parse(known, "waiting", "--quick", "held", "--strict");
        assertThat(arguments.effort()).isEqualTo(Effort.QUICK);
        assertThat(arguments.strict()).isTrue();
        assertThat(arguments.measurements()).extracting(Measurement::name).containsExactly("waiting", "held");
    }

    @Test
    void whatIsNotUnderstoodIsAnsweredByWhatWouldBe() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Arguments.parse(known, "--slow"))
                .withMessageStartingWith("not understood: --slow")
                .withMessageContaining("uncontended ")
                .withMessageContaining("killed-holder ");
    }
}
