package io.distlock.benchmarks.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Processor time of other processes, as Linux counts it. Of a process it knows the ticks of ten milliseconds, and of each thread
 * the nanoseconds, but not of those that have ended: the larger of the two misses less. Of processes that have ended, it knows the
 * ticks.
 */
public final class ProcessorTime {

    private static final double NANOS_IN_A_TICK = 1e7;

    /** Of those after the name, which is in brackets. */
    private static final int USER = 11;

    private static final int CHILDREN_USER = 13;

    private ProcessorTime() {}

    /** So far, in nanoseconds, with all that they have started. What has ended meanwhile counts for nothing. */
    public static double nanos(List<Long> processes) {
        return processes.stream()
                .flatMap(pid -> ProcessHandle.of(pid).stream())
                .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
                .map(process -> Path.of("/proc", Long.toString(process.pid())))
                .mapToDouble(
                        process -> Math.max(threads(process), ticks(process, USER)) + ticks(process, CHILDREN_USER))
                .sum();
    }

    private static double threads(Path process) {
        try (Stream<Path> threads = Files.list(process.resolve("task"))) {
            return threads.mapToDouble(thread -> number(read(thread.resolve("schedstat")), 0))
                    .sum();
        } catch (IOException ended) {
            return 0;
        }
    }

    /** User's and system's, which follow each other. */
    private static double ticks(Path process, int user) {
        String line = read(process.resolve("stat"));
        String figures = line.substring(line.lastIndexOf(')') + 1);
        return NANOS_IN_A_TICK * (number(figures, user) + number(figures, user + 1));
    }

    private static double number(String line, int at) {
        String[] words = line.strip().split(" ", -1);
        return at < words.length && !words[at].isEmpty() ? Double.parseDouble(words[at]) : 0;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            if (Files.exists(file)) {
                throw new UncheckedIOException(failure);
            }
            return "";
        }
    }
}
