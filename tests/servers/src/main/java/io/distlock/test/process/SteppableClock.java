package io.distlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The wall clock of some processes, which a test can step while they run, as an administrator or a time service does. Their
 * monotonic clock is the machine's. By libfaketime, as Debian installs it; programs that ask the
 * kernel without the C library, as those in Go do, do not notice. Thread-safe.
 */
public final class SteppableClock implements AutoCloseable {

    private static final Path LIBRARIES = Path.of("/usr/lib");
    private static final String LIBRARY = "faketime/libfaketimeMT.so.1";

    private final TestFolder folder = TestFolder.create("clock");
    private final Path offset = folder.path().resolve("offset");

    /** One that shows the machine's time. */
    public SteppableClock() {
        step(Duration.ZERO);
        try {
            // Servers run as users of their own.
            Files.setPosixFilePermissions(folder.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What to write before a command, so that the program has this clock.
     *
     * @return a command that runs another one
     * @throws IllegalStateException if the library is missing, with the command that installs it
     */
    public List<String> prefix() {
        return List.of(
                "env",
                // The C library first: an allocator of the program's own asks for the time before the other one is
                // ready.
                "LD_PRELOAD=" + library() + " libc.so.6",
                "FAKETIME_TIMESTAMP_FILE=" + offset,
                "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1");
    }

    private static Path library() {
        try (Stream<Path> folders = Files.list(LIBRARIES)) {
            return folders.map(folder -> folder.resolve(LIBRARY))
                    .filter(Files::isRegularFile)
                    .findFirst()
                    .orElseThrow(() ->
                            new IllegalStateException("no %s in a folder of %s. Install it: apt-get install faketime"
                                    .formatted(LIBRARY, LIBRARIES)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Steps it, from now on.
     *
     * @param ahead of the machine's; negative for behind it
     */
    public void step(Duration ahead) {
        try {
            // In one go: a process may read it at any time.
            Path next = Files.writeString(
                    folder.path().resolve("next"), String.format(Locale.ROOT, "%+.3fs", ahead.toMillis() / 1e3));
            Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(next, offset, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        folder.close();
    }
}
