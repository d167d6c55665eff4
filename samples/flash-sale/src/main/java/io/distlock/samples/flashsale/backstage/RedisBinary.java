package io.distlock.samples.flashsale.backstage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds a redis-server that runs on this machine: an installed one from Redis 7 on, which Redlock's restart guard needs, or
 * else the one that the embedded-redis artifact carries for it, or else any installed one.
 */
final class RedisBinary {

    private static final String INSTALLED = "redis-server";

    private static final Pattern SINCE_7 = Pattern.compile(" v=([7-9]|[1-9][0-9])\\.");

    private RedisBinary() {}

    /** Whether there is one from Redis 7 on, which is then used. */
    static boolean isSince7() {
        return Programs.version(INSTALLED)
                .filter(said -> SINCE_7.matcher(said).find())
                .isPresent();
    }

    /** The command that starts it; files go into the directory. */
    static String command(Path directory) throws IOException {
        if (isSince7()) {
            return INSTALLED;
        }
        Optional<Path> bundled = extract(directory);
        if (bundled.isPresent() && Programs.runs(bundled.get().toString())) {
            return bundled.get().toString();
        }
        if (Programs.runs(INSTALLED)) {
            return INSTALLED;
        }
        throw new BackstageException("None of the redis-servers that come with the sample runs on "
                + System.getProperty("os.name") + " " + System.getProperty("os.arch")
                + ", and none is installed: put a redis-server on the PATH");
    }

    private static Optional<Path> extract(Path directory) throws IOException {
        Optional<String> resource = resource();
        if (resource.isEmpty()) {
            return Optional.empty();
        }
        Path binary = directory.resolve(resource.get());
        try (InputStream content = RedisBinary.class.getResourceAsStream("/" + resource.get())) {
            if (content == null) {
                return Optional.empty();
            }
            Files.copy(content, binary);
        }
        binary.toFile().setExecutable(true);
        return Optional.of(binary);
    }

    private static Optional<String> resource() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        boolean arm = List.of("aarch64", "arm64").contains(System.getProperty("os.arch"));
        if (os.contains("win")) {
            return Optional.of("redis-server-5.0.14.1-windows-amd64.exe");
        }
        if (os.contains("mac")) {
            return Optional.of("redis-server-6.2.6-v5-darwin-" + (arm ? "arm64" : "amd64"));
        }
        if (os.contains("linux")) {
            return Optional.of(arm ? "redis-server-6.2.7-linux-arm64" : "redis-server-6.2.6-v5-linux-amd64");
        }
        return Optional.empty();
    }
}
