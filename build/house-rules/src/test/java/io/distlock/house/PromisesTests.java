package io.distlock.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the stores promise, and what they cannot, is said in the same words wherever it is said. */
class PromisesTests {

    private static final String LIST = "docs/choosing-a-provider.md";

    /** The pages that repeat the sentences, by what these begin with in the list. */
    private static final Map<String, List<String>> PAGES = Map.of(
            "All providers", List.of("README.md"),
            "Redis", List.of("docs/operating.md"),
            "Redis with failover", List.of("docs/operating.md"),
            "Redis with Sentinel", List.of("docs/operating.md"),
            "Redis Cluster", List.of("docs/operating.md"),
            "Redlock", List.of("docs/redlock.md"),
            "etcd", List.of("docs/etcd.md"));

    private static final Pattern SENTENCES = Pattern.compile("(?ms)^- \\*\\*(.+?)\\.\\*\\* (.+?)(?=\n- |\n\n|\\z)");

    private static String page(String name) throws IOException {
        return Files.readString(Path.of("..", "..").resolve(name));
    }

    private static String section(String page, String title) {
        String body = page.substring(page.indexOf("## " + title));
        int end = body.indexOf("\n## ");
        return end < 0 ? body : body.substring(0, end);
    }

    private static String joined(String text) {
        return text.replaceAll("\\s+", " ").trim();
    }

    private static List<String> rows(String section) {
        return section.lines().filter(line -> line.startsWith("| ")).toList();
    }

    @Test
    void whatCannotBePromisedIsSaidOnThePageOfEachStore() throws IOException {
        List<MatchResult> sentences = SENTENCES
                .matcher(section(page(LIST), "Where a promise cannot be kept"))
                .results()
                .toList();
        assertThat(sentences).extracting(each -> each.group(1)).containsAll(PAGES.keySet());
        for (MatchResult each : sentences) {
            assertThat(PAGES).containsKey(each.group(1));
            for (String name : PAGES.get(each.group(1))) {
                assertThat(joined(page(name))).as(name).contains(joined(each.group(2)));
            }
        }
    }

    @Test
    void theShortTableOfPromisesAgreesWithTheLongOne() throws IOException {
        List<String> shortRows = rows(section(page("README.md"), "Choosing a provider"));
        List<String> longRows = rows(section(page(LIST), "What they promise"));
        // The readme says in a line what each is for.
        assertThat(shortRows.stream().filter(row -> !row.startsWith("| for |")))
                .hasSizeGreaterThan(5)
                .allSatisfy(row -> assertThat(longRows).contains(row));
    }
}
