package io.distlock.test.sql;

import io.distlock.test.process.Executables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds and runs the programs of database servers, which refuse to run as root. */
final class SqlPrograms {

    /** Where Debian keeps PostgreSQL's programs, one folder for each version. */
    private static final Path POSTGRESQL = Path.of("/usr/lib/postgresql");

    private SqlPrograms() {}

    static Optional<Path> find(String name) {
        return Executables.onPath(name)
                .or(() -> Optional.of(Path.of("/usr/sbin", name)).filter(Files::isExecutable))
                .or(() -> newestOfPostgresql(name));
    }

    private static Optional<Path> newestOfPostgresql(String name) {
        if (!Files.isDirectory(POSTGRESQL)) {
            return Optional.empty();
        }
        try (Stream<Path> versions = Files.list(POSTGRESQL)) {
            return versions.map(version -> version.resolve("bin").resolve(name))
                    .filter(Files::isExecutable)
                    .max(Comparator.naturalOrder());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The command as the server's own user if this JVM is root's. */
    static List<String> as(String user, List<String> command) {
        if (!isRoot()) {
            return command;
        }
        List<String> changed =
                new ArrayList<>(List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"));
        changed.addAll(command);
        return changed;
    }

    /** Lets that user write there. */
    static void giveTo(String user, Path folder) {
        if (isRoot()) {
            try {
                UserPrincipal owner =
                        folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user);
                Files.setOwner(folder, owner);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Runs a program to its end. */
    static void run(Path folder, List<String> command) {
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + " failed:\n" + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }
}
