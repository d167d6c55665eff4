package io.distlock.test.process;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Another JVM with the class path of this one: for what depends on its environment, or happens when it dies. */
public final class ChildJvm {

    private ChildJvm() {}

    /** What it prints is to be read; errors go where this JVM's go. */
    public static ProcessBuilder of(Class<?> main, String... options) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Stream<String> rest = Stream.of("-cp", System.getProperty("java.class.path"), main.getName());
        List<String> command = Stream.of(Stream.of(java), Stream.of(options), rest)
                .flatMap(each -> each)
                .toList();
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }
}
