package io.distlock.test.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecutablesTests {

    @TempDir
    Path first;

    @TempDir
    Path second;

    private String folders;

    @BeforeEach
    void namesBothFolders() {
        folders = first + File.pathSeparator + second;
    }

    @Test
    void takesTheFirstFolderThatHasIt() throws IOException {
        Path expected = program(first);
        program(second);

        assertThat(Executables.in(folders, "server")).contains(expected);
    }

    @Test
    void passesOverAFileThatCannotBeRun() throws IOException {
        Files.createFile(first.resolve("server"));
        Path expected = program(second);

        assertThat(Executables.in(folders, "server")).contains(expected);
    }

    @Test
    void isEmptyIfNoFolderHasIt() {
        assertThat(Executables.in(folders, "server")).isEmpty();
    }

    @Test
    void readsThePathOfThisProcess() {
        assertThat(Executables.onPath("sh")).isPresent();
    }

    private static Path program(Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("server"));
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }
}
