package io.distlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Ends a server and deletes its folder once this JVM is gone, however it went. A shutdown hook would not do: none runs
 * in a JVM that is killed, and build tools kill their test JVMs.
 *
 * <p>A shell waits for the end of its input. Only this JVM holds the other end of that pipe, so the system closes it
 * with the JVM.
 */
final class DeathGuard {

    // The terminal sends its signals to the whole group, so to the shell too: it must outlive them to do its work.
    private static final String SCRIPT = """
            trap '' INT TERM HUP
            read -r _
            [ -z "$2" ] || kill -KILL "$2" 2>/dev/null
            rm -rf -- "$1"
            """;

    private final Process shell;

    private DeathGuard(Process shell) {
        this.shell = shell;
    }

    static DeathGuard over(Path folder) {
        return start(folder.toString());
    }

    static DeathGuard over(long pid, Path folder) {
        return start(folder.toString(), String.valueOf(pid));
    }

    private static DeathGuard start(String... arguments) {
        List<String> program = List.of("sh", "-c", SCRIPT, "distlock-guard");
        List<String> command =
                Stream.concat(program.stream(), Stream.of(arguments)).toList();
        try {
            return new DeathGuard(new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** To be called as soon as what it guards has gone: its process id may then belong to a stranger. */
    void dismiss() {
        shell.destroyForcibly();
    }
}
