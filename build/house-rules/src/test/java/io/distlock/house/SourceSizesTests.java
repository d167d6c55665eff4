package io.distlock.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceSizesTests {

    @TempDir
    Path sources;

    @Test
    void aFileMayHaveThreeHundredAndFiftyLines() throws IOException {
        Files.writeString(sources.resolve("A.java"), "\n".repeat(350));

        assertThat(SourceSizes.excesses(sources)).isEmpty();
    }

    @Test
    void aFileOfMoreLinesIsNamed() throws IOException {
        Path file = Files.writeString(sources.resolve("A.java"), "\n".repeat(351));

        assertThat(SourceSizes.excesses(sources)).containsExactly(file + " has 351 lines");
    }

    @Test
    void aPackageOfMoreThanTwentyFilesIsNamed() throws IOException {
        Path crowded = Files.createDirectories(sources.resolve("crowded"));
        for (int i = 0; i < 20; i++) {
            Files.createFile(crowded.resolve("A" + i + ".java"));
        }
        Files.createFile(crowded.resolve("package-info.java"));
        assertThat(SourceSizes.excesses(sources)).isEmpty();

        Files.createFile(crowded.resolve("B.java"));
        assertThat(SourceSizes.excesses(sources)).containsExactly(crowded + " has 21 files");
    }
}
