package io.distlock.test.etcd;

import io.distlock.test.process.Executables;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An {@code etcd} program.
 *
 * @param path where it is
 */
public record EtcdBinary(Path path) {

    /** The system property that names the program to use, by its path. */
    public static final String PROPERTY = "distlock.test.etcd";

    private static final String NAME = "etcd";

    /**
     * The program that the system property {@value #PROPERTY} names, else the one on {@code PATH}.
     *
     * @return the program
     * @throws IllegalStateException if there is none, with the command that installs it
     */
    public static EtcdBinary find() {
        return Optional.ofNullable(System.getProperty(PROPERTY))
                .map(path -> new EtcdBinary(Path.of(path)))
                .or(EtcdBinary::onPath)
                .orElseThrow(EtcdBinary::missing);
    }

    /**
     * The program on {@code PATH}.
     *
     * @return the program, or empty if there is none
     */
    public static Optional<EtcdBinary> onPath() {
        return Executables.onPath(NAME).map(EtcdBinary::new);
    }

    static IllegalStateException missing() {
        return new IllegalStateException("no %s on PATH. Install one: apt-get install etcd-server".formatted(NAME));
    }
}
