package io.distlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The threads of a process, as the system shows them under {@code /proc}: each has a folder with a line about it,
 * {@code 4711 (its name) T ...}, where T says that it is stopped.
 */
final class ProcessThreads {

    private final Path tasks;

    private ProcessThreads(Path tasks) {
        this.tasks = tasks;
    }

    static ProcessThreads of(long pid) {
        return new ProcessThreads(Path.of("/proc", String.valueOf(pid), "task"));
    }

    /**
     * Whether none of them runs any more. A signal reaches one thread, and the others only once that one has been given
     * a processor: on a busy machine they go on for milliseconds after it was sent.
     *
     * @return true if all are stopped, and where the system does not show them
     */
    boolean areStopped() {
        if (!Files.isDirectory(tasks)) {
            return true;
        }
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                if (!isStopped(thread)) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isStopped(Path thread) throws IOException {
        try {
            String line = Files.readString(thread.resolve("stat"));
            // The name may itself contain blanks and brackets, so the state is looked for behind its last bracket.
            return line.startsWith("T", line.lastIndexOf(')') + 2);
        } catch (NoSuchFileException ended) {
            return true;
        }
    }
}
