package io.distlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temp folder that is deleted, with all it holds, on {@link #close()} and at the latest with this JVM. */
public final class TestFolder implements AutoCloseable {

    private static final int TRIES = 5;

    private final Path path;
    private final DeathGuard guard;

    private TestFolder(Path path) {
        this.path = path;
        this.guard = DeathGuard.over(path);
    }

    /**
     * Makes a new, empty one.
     *
     * @param name what its name starts with
     * @return the folder
     */
    public static TestFolder create(String name) {
        Path path = createDirectory("distlock-" + name + "-");
        try {
            return new TestFolder(path);
        } catch (RuntimeException e) {
            delete(path);
            throw e;
        }
    }

    /**
     * Where it is.
     *
     * @return the path
     */
    public Path path() {
        return path;
    }

    /**
     * A folder inside this one, made if it is not there.
     *
     * @param name the name of the inner folder
     * @return the inner folder
     */
    public Path inner(String name) {
        try {
            return Files.createDirectories(path.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Deletes an inner folder and all it holds.
     *
     * @param name the name of the inner folder
     */
    public void deleteInner(String name) {
        delete(path.resolve(name));
    }

    @Override
    public void close() {
        delete(path);
        guard.dismiss();
    }

    private static Path createDirectory(String prefix) {
        try {
            return Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path root) {
        for (int i = 1; Files.exists(root); i++) {
            try {
                deleteOnce(root);
            } catch (IOException e) {
                // A server's child (one that saves a snapshot, say) may write a file while we walk.
                if (i == TRIES) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static void deleteOnce(Path root) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> found = Files.walk(root)) {
            deepestFirst = found.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw new IOException(e);
        } catch (NoSuchFileException gone) {
            return;
        }
        for (Path each : deepestFirst) {
            Files.deleteIfExists(each);
        }
    }
}
