package io.distlock.benchmarks.store;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Another JVM of the same kind. */
public final class Jvm {

    private Jvm() {}

    /** The beginning of a command line: with this one's compilers and collectors. */
    public static List<String> command() {
        Stream<String> options = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("-XX:"));
        return Stream.concat(
                        Stream.of(Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString()),
                        options)
                .toList();
    }
}
