package io.distlock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.benchmarks.Arguments.Suite;
import io.distlock.benchmarks.measure.RunSize;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArgumentsTests {

    private final List<Suite> known = Suite.all();

    @Test
    void nothingAsksForEverything() {
        Arguments arguments = Arguments.parse(known);
        assertThat(arguments.size()).isEqualTo(RunSize.FULL);
        assertThat(arguments.strict()).isFalse();
        assertThat(arguments.suites()).isEqualTo(known);
    }

    @Test
    void namesAskForThoseOnTheirStores() {
        Arguments arguments = Arguments.parse(
                known, "etcd-uncontended", "redlock-uncontended", "waiting", "--quick", "held", "--strict");
        assertThat(arguments.size()).isEqualTo(RunSize.QUICK);
        assertThat(arguments.strict()).isTrue();
        assertThat(arguments.suites())
                .extracting(suite ->
                        suite.measurements().stream().map(suite::nameOf).toList())
                .containsExactly(
                        List.of("held", "waiting"), List.of("redlock-uncontended"), List.of("etcd-uncontended"));
    }

    @Test
    void aComparisonMeasuresThreeThingsOnEachStore() {
        Arguments arguments = Arguments.parse(known, "--compare");
        assertThat(arguments.compare()).isTrue();
        assertThat(arguments.suites())
                .extracting(suite -> suite.measurements().size())
                .containsExactly(3, 3, 3, 3, 3);
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
