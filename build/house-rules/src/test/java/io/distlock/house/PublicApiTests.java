package io.distlock.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublicApiTests {

    @TempDir
    Path directory;

    Path file;
    PublicApi api;

    @BeforeEach
    void writeTheApi() throws IOException {
        file = directory.resolve(PublicApi.FILE);
        api = apiUnder(Path.of("target", "test-classes"));
        api.writeTo(file);
    }

    @Test
    void hasPublicAndProtectedMembersOfPublicTypes() throws IOException {
        assertThat(Files.readString(file)).isEqualTo("""
                io.distlock.house.ApiSample: abstract class, a Comparable<ApiSample>
                    List<String> names(int, ApiSample.Mode)
                    protected ApiSample()
                    protected abstract void refresh() throws InterruptedException
                    static final int LIMIT
                io.distlock.house.ApiSample.Marked: static @interface
                    String value() default "here"
                io.distlock.house.ApiSample.Mode: static final enum
                    static final ApiSample.Mode FAST
                io.distlock.house.ApiSample.Part: abstract static class
                    ApiSample.Part()
                    protected void inherited()
                    protected void own()
                io.distlock.house.ApiSample.Sealed: sealed static interface
                """);
    }

    @Test
    void isWhatItsFileSays() throws IOException {
        assertThat(api.differences(file)).isEmpty();
    }

    @Test
    void differsByAMemberThatIsNew() throws IOException {
        Files.writeString(file, Files.readString(file).replace("    static final int LIMIT\n", ""));

        assertThat(api.differences(file)).containsExactly("+ io.distlock.house.ApiSample: static final int LIMIT");
    }

    @Test
    void differsByAMemberThatIsGone() throws IOException {
        Files.writeString(file, Files.readString(file).replace("LIMIT\n", "LIMIT\n    void close()\n"));

        assertThat(api.differences(file)).containsExactly("- io.distlock.house.ApiSample: void close()");
    }

    @Test
    void differsByATypeThatIsGone() throws IOException {
        Files.writeString(file, "io.distlock.house.Gone: final class\n" + Files.readString(file));

        assertThat(api.differences(file)).containsExactly("- io.distlock.house.Gone: final class");
    }

    @Test
    void leavesOutTheTypesOfOtherModules() throws IOException {
        assertThat(apiUnder(directory).differences(Files.createFile(directory.resolve("empty.txt"))))
                .isEmpty();
    }

    private static PublicApi apiUnder(Path classes) {
        return PublicApi.of(
                new ClassFileImporter()
                        .importClasses(
                                ApiSample.class,
                                ApiSample.Mode.class,
                                ApiSample.Marked.class,
                                ApiSample.Part.class,
                                ApiSample.Sealed.class),
                classes);
    }
}
