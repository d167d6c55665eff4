package io.distlock.test.redis;

import io.distlock.test.process.TestFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The programs inside the embedded-redis artifact's jar, used as plain resources. */
final class EmbeddedRedis {

    private static final Map<String, String> RESOURCES = Map.of(
            "linux-amd64", "redis-server-6.2.6-v5-linux-amd64",
            "linux-aarch64", "redis-server-6.2.7-linux-arm64",
            "linux-i386", "redis-server-6.2.7-linux-386",
            "mac-x86_64", "redis-server-6.2.6-v5-darwin-amd64",
            "mac-aarch64", "redis-server-6.2.6-v5-darwin-arm64");

    private EmbeddedRedis() {}

    static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return (system.startsWith("mac") ? "mac" : system) + "-" + System.getProperty("os.arch");
    }

    static Optional<Path> program() {
        return Extracted.PROGRAM;
    }

    private static final class Extracted {

        static final Optional<Path> PROGRAM =
                Optional.ofNullable(RESOURCES.get(platform())).flatMap(Extracted::extract);

        private static Optional<Path> extract(String resource) {
            try (InputStream content = EmbeddedRedis.class.getResourceAsStream("/" + resource)) {
                return content == null ? Optional.empty() : Optional.of(write(content));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot extract " + resource, e);
            }
        }

        private static Path write(InputStream content) throws IOException {
            // Never closed: the program is there for as long as this JVM.
            Path program = TestFolder.create("redis-server").path().resolve("redis-server");
            Files.copy(content, program);
            if (!program.toFile().setExecutable(true)) {
                throw new IOException("cannot make " + program + " executable");
            }
            return program;
        }
    }
}
