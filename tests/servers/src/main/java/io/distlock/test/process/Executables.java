package io.distlock.test.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds programs the way a shell does. */
public final class Executables {

    private Executables() {}

    /**
     * The first program of that name in the folders of {@code PATH}.
     *
     * @param name the program's file name
     * @return its path, or empty if there is none
     */
    public static Optional<Path> onPath(String name) {
        String folders = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return in(folders, name);
    }

    static Optional<Path> in(String folders, String name) {
        return Stream.of(folders.split(Pattern.quote(File.pathSeparator), -1))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isRegularFile)
                .filter(Files::isExecutable)
                .findFirst();
    }
}
