package io.distlock.benchmarks.capacity;

import static org.assertj.core.api.Assertions.assertThat;

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
        Point one = new Point(Curve.HELD, 100, perSecond, 0.25, 12.5, 3_000_000, 7, 2, 0);
        Point two = new Point(Curve.HELD, 1_000, 2 * perSecond, 0.5, 25, 4_000_000, 70, 2, 1);
        return new Measured(
                provider, "Server 1", "today", List.of(one, two), List.of(new Burst("a stall", 10_000, 3, 450)));
    }

    @Test
    void thePagesTablesAreThoseOfTheLastFigures() {
        CapacityPage ours = new CapacityPage(Path.of("..", "..", "docs"));
        assertThat(ours.actual())
                .as("write the tables with scripts/capacity --page, not by hand")
                .isEqualTo(ours.expected());
    }

    @Test
    void aRunReplacesTablesAndPicturesAndNothingElse() {
        page.write(new Growth(List.of(measured("redis", 1_234))));
        assertThat(page.actual())
                .startsWith("before\n")
                .endsWith("<!-- end -->\nafter\n")
                .contains("- redis: Server 1, today\n")
                .contains("| 100 | 1,234/s, 0.25, 13 |\n", "| 1,000 | 2,468/s, 0.50, 25 |\n")
                .contains("| at most: heap, commands, connections, lost | 4 MB, 70, 2, 1 |\n")
                .contains("| a stall | 10,000 held, **3** lost, 450 ms |\n")
                .doesNotContain("earlier figures");
        assertThat(folder.resolve("images/capacity-held.svg")).content().contains("<svg", "redis");
    }

    @Test
    void aProviderThatWasNotMeasuredKeepsItsFigures() {
        page.write(new Growth(List.of(measured("redis", 1_234), measured("etcd", 500))));
        page.write(new Growth(List.of(measured("redis", 4_321))));
        assertThat(page.actual())
                .contains("| 100 | 500/s, 0.25, 13 | 4,321/s, 0.25, 13 |")
                .doesNotContain("1,234");
    }

    @Test
    void aFigureChangedByHandIsNoticed() throws IOException {
        page.write(new Growth(List.of(measured("redis", 1_234))));
        Files.writeString(folder.resolve("capacity.md"), page.actual().replace("1,234", "9,999"));
        assertThat(page.actual()).isNotEqualTo(page.expected());
    }
}
