package io.distlock.test.application;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Markdown page.
 *
 * @param text all of it
 */
public record Page(String text) {

    private static final Pattern DEPENDENCY = Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(.*?)</artifactId>");

    /**
     * Reads a page.
     *
     * @param file where it is
     * @return the page
     */
    public static Page read(Path file) {
        try {
            return new Page(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The fenced blocks in a language.
     *
     * @param language as behind the fence
     * @return their texts, in order
     */
    public List<String> blocks(String language) {
        return Pattern.compile("(?ms)^```" + language + "\n(.*?)^```")
                .matcher(text)
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    /**
     * The dependencies in a text, other than those for tests.
     *
     * @param xml a part of a project file
     * @return the names of the artifacts
     */
    public static Set<String> dependencies(String xml) {
        Set<String> artifacts = new TreeSet<>();
        Matcher dependency = DEPENDENCY.matcher(xml);
        while (dependency.find()) {
            Matcher artifact = ARTIFACT.matcher(dependency.group(1));
            if (artifact.find() && !dependency.group(1).contains("<scope>test</scope>")) {
                artifacts.add(artifact.group(1));
            }
        }
        return artifacts;
    }
}
