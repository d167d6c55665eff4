package io.distlock.benchmarks.capacity;

import static io.distlock.benchmarks.capacity.Figures.point;
import static io.distlock.benchmarks.capacity.Figures.timed;
import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.capacity.Cost.ProcessorMicros;
import io.distlock.benchmarks.capacity.Growth.Burst;
import io.distlock.benchmarks.capacity.Growth.Measured;
import io.distlock.benchmarks.capacity.Growth.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CapacityPageTests {

    @TempDir
    Path folder;

    CapacityPage page;

    @BeforeEach
    void anEmptyPage() throws IOException {
        Files.writeString(
                folder.resolve("capacity.md"),
                "before\n<!-- written by scripts/capacity --page -->\nearlier figures\n<!-- end -->\nafter\n");
        page = new CapacityPage(folder);
    }

    private static Measured measured(String provider, double perSecond) {
        Point one = point(Curve.HELD, 100, perSecond, 31.5);
        Cost more = new Cost(2 * perSecond, 0.5, 25, 4_000_000, 70, 2, 1, new ProcessorMicros(33, 40));
        return new Measured(
                provider,
                "Server 1",
                "today",
                List.of(one, new Point(Curve.HELD, 1_000, more)),
                List.of(new Burst("a stall", 10_000, 3, 450)));
    }

    @Test
    void thePagesTablesAreThoseOfTheLastFigures() {
        CapacityPage ours = new CapacityPage(Path.of("..", "..", "docs"));
        assertThat(ours.actual())
                .as("write the tables with scripts/capacity --page, or --redraw, not by hand")
                .isEqualTo(ours.expected());
    }

    @Test
    void aRunReplacesTablesAndPicturesAndNothingElse() {
        page.write(new Growth(List.of(measured("redis", 1_234))));
        assertThat(page.actual())
                .startsWith("before\n")
                .endsWith("<!-- end -->\nafter\n")
                .contains("- redis: Server 1, today\n")
                .contains("| 100 | 1,234/s, 0.25, 13<br>32 + 40 µs, 3 MB, 7, 2 |\n")
                .contains("| 1,000 | 2,468/s, 0.50, 25<br>33 + 40 µs, 4 MB, 70, 2, **1 lost** |\n")
                .contains("| a stall | 10,000 held, **3** lost, 450 ms |\n")
                .doesNotContain("earlier figures");
        assertThat(folder.resolve("images/capacity-held.svg")).content().contains("<svg", "redis");
    }

    @Test
    void aProviderThatWasNotMeasuredKeepsItsFigures() {
        page.write(new Growth(List.of(measured("redis", 1_234), measured("etcd", 500))));
        page.write(new Growth(List.of(measured("redis", 4_321))));
        assertThat(page.actual())
                .contains("| 100 | 500/s, 0.25, 13<br>32 + 40 µs, 3 MB, 7, 2 | 4,321/s,")
                .doesNotContain("1,234");
    }

    @Test
    void aPartThatWasNotMeasuredKeepsItsFiguresAndWhereTheyCameFrom() {
        page.write(new Growth(List.of(measured("redis", 1_234))));
        page.write(new Growth(List.of(
                new Measured("redis", "Server 2", "later", List.of(point(Curve.KEYS, 100, 99, 31.5)), List.of()))));
        assertThat(page.actual())
                .contains("- redis: Server 1, today\n", "- redis: Server 2, later\n")
                .contains("| 100 | 1,234/s,", "| 100 | 99/s,", "| a stall | 10,000 held");
    }

    @Test
    void figuresOfARunThatKnewNoProcessorTimeAreShownWithoutIt() throws IOException {
        Files.writeString(
                folder.resolve("capacity.csv"), "redis;Server 1;today;KEYS;100;1234.0;0.25;12.5;3000000;2.0;3;0\n");
        page.write();
        assertThat(page.actual()).contains("| 100 | 1,234/s, 0.25, 13<br>3 MB, 2, 3 |\n");
    }

    @Test
    void thePageSaysHowFarThePredictionsAreOff() {
        page.write(new Growth(List.of(Figures.of(
                "redis",
                timed(Curve.KEYS, 100, 0.55),
                timed(Curve.KEYS, 1_000, 0.5),
                timed(Curve.KEYS, 100_000, 0.25)))));
        assertThat(page.actual())
                .contains("| 100 keys, ms | 0.55, 0.38, **-32 %** |\n")
                .contains("| 1,000 keys, ms | 0.50, 0.40, -20 % |\n")
                .contains("| 100,000 keys, ms | 0.25, 0.53, **+110 %** * |\n")
                .contains("Within 20 %: 1 of 2 where the model claims to hold, 0 of 1 elsewhere (*).");
    }

    @Test
    void aFigureChangedByHandIsNoticed() throws IOException {
        page.write(new Growth(List.of(measured("redis", 1_234))));
        Files.writeString(folder.resolve("capacity.md"), page.actual().replace("1,234", "9,999"));
        assertThat(page.actual()).isNotEqualTo(page.expected());
    }
}
