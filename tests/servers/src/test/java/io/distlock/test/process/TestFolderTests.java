package io.distlock.test.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TestFolderTests {

    @Test
    void closeDeletesAllThatIsInside() throws IOException {
        TestFolder folder = TestFolder.create("test");
        Files.createFile(folder.inner("data").resolve("file"));

        folder.close();

        assertThat(folder.path()).doesNotExist();
    }

    @Test
    void anInnerFolderIsDeletedAlone() throws IOException {
        try (TestFolder folder = TestFolder.create("test")) {
            Path kept = Files.createFile(folder.path().resolve("kept"));
            Path inner = folder.inner("data");
            Files.createFile(inner.resolve("file"));

            folder.deleteInner("data");

            assertThat(inner).doesNotExist();
            assertThat(kept).exists();
        }
    }

    @Test
    void closingTwiceIsFine() {
        TestFolder folder = TestFolder.create("test");
        folder.close();

        folder.close();

        assertThat(folder.path()).doesNotExist();
    }

    @Test
    void noFolderOutlivesAJvmThatIsKilled() throws IOException, InterruptedException {
        Process jvm = ChildJvm.of(LeftBehindFolder.class).start();
        try (BufferedReader output = jvm.inputReader()) {
            Path left = Path.of(output.readLine());
            assertThat(left).exists();

            jvm.destroyForcibly().waitFor();

            await().until(() -> !Files.exists(left));
        } finally {
            jvm.destroyForcibly();
        }
    }
}
