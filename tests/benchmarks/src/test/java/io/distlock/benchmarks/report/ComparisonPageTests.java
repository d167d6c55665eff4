package io.distlock.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.benchmarks.report.Report.Figure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComparisonPageTests {

    @TempDir
    Path folder;

    private Path page;

    @BeforeEach
    void anEmptyPage() throws IOException {
        page = folder.resolve("comparison.md");
        Files.writeString(page, "before\n<!-- written by scripts/benchmarks --compare -->\nold\n<!-- end -->\nafter\n");
    }

    private static Figure figure(String what, double value) {
        return new Figure("", what, value, "", Optional.empty());
    }

    private static Map<String, List<Figure>> measured() {
        Map<String, List<Figure>> measured = new LinkedHashMap<>();
        measured.put(
                "Redis 7",
                List.of(
                        figure("p50, distlock", 150.4),
                        figure("p50, bare Lettuce", 140),
                        figure("p50 relative to bare Lettuce, distlock", 1.07),
                        figure("cycles per second, distlock", 12_345),
                        figure("cycles per second, Redisson", 4_115),
                        figure("hand-over, median, distlock", 380),
                        figure("hand-over, p99, distlock", 900),
                        figure("hand-over, median, Redisson", 418)));
        measured.put("etcd 3", List.of(figure("p50, distlock", 1_600)));
        return measured;
    }

    @Test
    void thePagesTableIsThatOfTheLastRun() {
        ComparisonPage real = new ComparisonPage(Path.of("..", "..", "docs"));
        assertThat(real.actual())
                .as("write the table with scripts/benchmarks --compare, not by hand")
                .isEqualTo(real.expected());
    }

    @Test
    void aRunReplacesTheTableAndNothingElse() {
        ComparisonPage written = new ComparisonPage(folder);
        written.write("today", measured());
        assertThat(written.actual()).isEqualTo("""
                        before
                        <!-- written by scripts/benchmarks --compare -->
                        Measured today:

                        | | | acquire and release, p50 | cycles, 32 threads | hand-over, p50 |
                        |---|---|---|---|---|
                        | Redis 7 | **this library** | **150 µs** | **12,345 /s** | **380 µs** |
                        |  | bare Lettuce | 140 µs |  |  |
                        |  | Redisson |  | 4,115 /s | 418 µs |
                        | etcd 3 | **this library** | **1,600 µs** |  |  |
                        <!-- end -->
                        after
                        """);
    }

    @Test
    void aFigureChangedByHandIsNoticed() throws IOException {
        ComparisonPage written = new ComparisonPage(folder);
        written.write("today", measured());
        Files.writeString(page, Files.readString(page).replace("12,345", "99,999"));
        assertThat(written.actual()).isNotEqualTo(written.expected());
    }

    @Test
    void aPageWithoutPlaceForTheTableIsRefused() throws IOException {
        Files.writeString(page, "before and after");
        Files.writeString(folder.resolve("comparison.csv"), "today");
        assertThatIllegalStateException()
                .isThrownBy(new ComparisonPage(folder)::expected)
                .withMessageContaining("<!-- written by scripts/benchmarks --compare -->");
    }

    @Test
    void thePictureShowsOursBesideTheOtherLibrary() throws IOException {
        new ComparisonPage(folder).write("today", measured());
        assertThat(Files.readString(folder.resolve("images").resolve("comparison.svg")))
                .startsWith("<?xml")
                .contains("Redisson", "1.1")
                .doesNotContain("etcd 3", "bare Lettuce");
    }
}
