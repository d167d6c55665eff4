package io.distlock.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A fenced block of a page.
 *
 * @param page the name of its file, without the ending
 * @param line the line of the page on which its text begins
 * @param language what is written behind the fence; empty if nothing is
 */
record CodeBlock(String page, int line, String language, String text) {

    private static final Path ROOT = Path.of("..", "..");
    private static final Pattern FENCE = Pattern.compile("( *)```(\\w*).*");

    /** README.md and the pages in docs. */
    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    static List<CodeBlock> of(Path page) throws IOException {
        return of(page.getFileName().toString().replace(".md", ""), Files.readAllLines(page));
    }

    static List<CodeBlock> of(String page, List<String> lines) {
        List<CodeBlock> blocks = new ArrayList<>();
        for (int at = 0; at < lines.size(); at++) {
            Matcher fence = FENCE.matcher(lines.get(at));
            if (fence.matches()) {
                int first = at + 1;
                String indent = fence.group(1);
                List<String> text = lines.stream()
                        .skip(first)
                        .takeWhile(line -> !line.startsWith(indent + "```"))
                        .map(line -> line.startsWith(indent) ? line.substring(indent.length()) : line)
                        .toList();
                blocks.add(new CodeBlock(page, first + 1, fence.group(2), String.join("\n", text)));
                at = first + text.size();
            }
        }
        return blocks;
    }

    /** A problem with it, as a reader finds its place. */
    String problem(long lineInBlock, String what) {
        return "%s.md:%d: %s".formatted(page, line + lineInBlock - 1, what);
    }
}
