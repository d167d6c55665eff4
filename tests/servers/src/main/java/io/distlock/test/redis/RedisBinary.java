package io.distlock.test.redis;

import io.distlock.test.process.Executables;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A {@code redis-server} program.
 *
 * @param path where it is
 */
public record RedisBinary(Path path) {

    /** The system property that names the program to use: a path, or {@value #EMBEDDED} for the bundled one. */
    public static final String PROPERTY = "distlock.test.redis-server";

    private static final String EMBEDDED = "embedded";
    private static final String NAME = "redis-server";

    /**
     * The program that the system property {@value #PROPERTY} names, else the one on {@code PATH}, else the bundled
     * one.
     *
     * @return the program
     * @throws IllegalStateException if there is none, with the command that installs it
     */
    public static RedisBinary find() {
        return Optional.ofNullable(System.getProperty(PROPERTY))
                .map(RedisBinary::named)
                .or(RedisBinary::onPath)
                .or(RedisBinary::embedded)
                .orElseThrow(() -> new IllegalStateException(
                        "no %s on PATH, and none bundled for %s. Install one: apt-get install redis-server"
                                .formatted(NAME, EmbeddedRedis.platform())));
    }

    /**
     * The program on {@code PATH}.
     *
     * @return the program, or empty if there is none
     */
    public static Optional<RedisBinary> onPath() {
        return Executables.onPath(NAME).map(RedisBinary::new);
    }

    /**
     * The program (version 6.2) bundled in the embedded-redis artifact.
     *
     * @return the program, or empty if that artifact is not on the class path or has none for this platform
     */
    public static Optional<RedisBinary> embedded() {
        return EmbeddedRedis.program().map(RedisBinary::new);
    }

    private static RedisBinary named(String name) {
        return name.equals(EMBEDDED)
                ? embedded()
                        .orElseThrow(() -> new IllegalStateException("no %s is bundled for %s, as %s=%s asks for"
                                .formatted(NAME, EmbeddedRedis.platform(), PROPERTY, name)))
                : new RedisBinary(Path.of(name));
    }
}
