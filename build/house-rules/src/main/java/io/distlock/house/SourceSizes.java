package io.distlock.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** How large the files and packages of a source directory are, compared with what a reader can take in. */
final class SourceSizes {

    static final int LINES = 350;
    static final int FILES = 20;

    private SourceSizes() {}

    /** The files with more than {@value #LINES} lines and the packages with more than {@value #FILES} files. */
    static List<String> excesses(Path sources) throws IOException {
        List<String> excesses = new ArrayList<>();
        Map<Path, Integer> packages = new TreeMap<>();
        for (Path file : javaFiles(sources)) {
            int lines = Files.readAllLines(file).size();
            if (lines > LINES) {
                excesses.add("%s has %d lines".formatted(file, lines));
            }
            packages.merge(file.getParent(), 1, Integer::sum);
        }
        packages.forEach((directory, files) -> {
            if (files > FILES) {
                excesses.add("%s has %d files".formatted(directory, files));
            }
        });
        return excesses;
    }

    private static List<Path> javaFiles(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .sorted()
                    .toList();
        }
    }
}
