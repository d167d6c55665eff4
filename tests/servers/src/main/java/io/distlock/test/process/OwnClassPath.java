package io.distlock.test.process;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The class path of this JVM, for another one that runs in a folder of its own. */
public final class OwnClassPath {

    private OwnClassPath() {}

    /**
     * The class path, as an argument of {@code java -cp}.
     *
     * @return its entries, each as an absolute path
     */
    public static String absolute() {
        return List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)).stream()
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
