package io.distlock.test.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;

/**
 * The wall clock of some processes, which a test can step while they run, as an administrator or a time service does. Their
 * monotonic clock is the machine's. By a library that is loaded before the C library's functions of the same names, and that
 * the machine's C compiler makes of {@code wallclock.c}. On Linux; programs that ask the kernel without the C library, as those
 * in Go do, do not notice. For one thread at a time.
 */
public final class SteppableClock implements AutoCloseable {

    private static final String SOURCE = "wallclock.c";

    private final TestFolder folder = TestFolder.create("clock");
    private final Path ahead = folder.path().resolve("ahead");

    /**
     * One that shows the machine's time.
     */
    public SteppableClock() {
        step(Duration.ZERO);
        try {
            // Servers run as users of their own.
            makeReadable(folder);
            Files.setPosixFilePermissions(ahead, PosixFilePermissions.fromString("rw-r--r--"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What to write before a command, so that the program has this clock.
     *
     * @return a command that runs another one
     * @throws IllegalStateException if there is no C compiler, with the command that installs one
     */
    public List<String> prefix() {
        return List.of("env", "LD_PRELOAD=" + Library.PATH, "WALL_CLOCK=" + ahead);
    }

    private static void makeReadable(TestFolder folder) throws IOException {
        Files.setPosixFilePermissions(folder.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /**
     * Steps it, from the next look on.
     *
     * @param by so far ahead of the machine's; negative for behind it
     */
    public void step(Duration by) {
        ByteBuffer nanos = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        nanos.putLong(0, by.toNanos());
        // In place: the processes have mapped it.
        try (FileChannel file = FileChannel.open(ahead, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(nanos, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        folder.close();
    }

    /** Made once, and there as long as this JVM. */
    private static final class Library {

        private static final Path PATH = compile();

        private static Path compile() {
            Path compiler = Executables.onPath("cc")
                    .orElseThrow(
                            () -> new IllegalStateException("no C compiler found. Install one: apt-get install gcc"));
            TestFolder folder = TestFolder.create("wallclock");
            Path source = folder.path().resolve(SOURCE);
            Path library = folder.path().resolve("wallclock.so");
            try (InputStream text = SteppableClock.class.getResourceAsStream(SOURCE)) {
                Files.write(source, text.readAllBytes());
                makeReadable(folder);
                Process compiling = new ProcessBuilder(
                                compiler.toString(),
                                "-shared",
                                "-fPIC",
                                "-nostdlib",
                                "-Wno-builtin-declaration-mismatch",
                                "-o",
                                library.toString(),
                                source.toString())
                        .redirectErrorStream(true)
                        .start();
                String output = new String(compiling.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (compiling.onExit().join().exitValue() != 0) {
                    throw new IllegalStateException("%s does not compile %s:%n%s".formatted(compiler, SOURCE, output));
                }
                return library;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
