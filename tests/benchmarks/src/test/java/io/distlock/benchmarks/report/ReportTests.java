package io.distlock.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.report.Report.Figure;
import io.distlock.benchmarks.report.Report.Target;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ReportTests {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Report report = new Report(new PrintStream(printed, true, StandardCharsets.UTF_8));

    @Test
    void aFigureIsPrintedWithItsTargetAndWhetherItIsMet() {
        report.figure("commands", 2, "", Target.exactly(2));
        report.figure("ratio", 1.237, "×", Target.atMost(1.15));
        report.figure("rate", 12_345.6, "/s");
        assertThat(lines()).containsExactly("commands 2 = 2 met", "ratio 1.24 × ≤ 1.15 missed", "rate 12,346 /s");
    }

    @Test
    void aFigureOnItsBoundIsMet() {
        report.figure("most", 0.9, "", Target.atMost(0.9));
        report.figure("least", 0.9, "", Target.atLeast(0.9));
        assertThat(report.figures()).noneMatch(Figure::isMissed);
    }

    @Test
    void aFigureBeyondItsBoundIsMissed() {
        report.figure("most", 0.91, "", Target.atMost(0.9));
        report.figure("least", 0.89, "", Target.atLeast(0.9));
        report.count("count", 3, Target.exactly(2));
        assertThat(report.figures()).allMatch(Figure::isMissed);
    }

    @Test
    void whatCouldNotBeMeasuredIsMissed() {
        report.figure("most", Double.NaN, "", Target.atMost(1));
        report.figure("least", Double.NaN, "", Target.atLeast(1));
        report.figure("exactly", Double.NaN, "", Target.exactly(1));
        assertThat(report.figures()).allMatch(Figure::isMissed);
    }

    @Test
    void theMachineIsToBlameForTimesOnly() {
        report.figure("time", 2, "ms", Target.atMost(1));
        report.count("count", 2, Target.countAtMost(1));
        assertThat(report.figures())
                .filteredOn(Figure::isMissedCount)
                .extracting(Figure::what)
                .containsExactly("count");
    }

    @Test
    void theSummaryNamesWhatWasMissed() {
        report.figure("one", 2, "", Target.exactly(2));
        report.figure("two", 3, "", Target.exactly(2));
        report.figure("three", 3, "");
        report.summary();
        assertThat(lines()).endsWith("1 of 2 targets met", "missed: two");
    }

    @Test
    void severalRunsAreSummedUpByTheirMedianAndSpread() {
        for (double value : new double[] {3, 1, 2}) {
            report.measurement("one", "for the test");
            report.figure("time", value, "ms", Target.atMost(2));
        }
        report.summary();
        assertThat(lines())
                .endsWith("The median of all runs, and the least and the most", "one: time 2 ms ≤ 2 met (1 to 3)");
    }

    private Iterable<String> lines() {
        return printed.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.strip().replaceAll(" +", " "))
                .filter(line -> !line.isEmpty())
                .toList();
    }
}
