package io.distlock.chaos.campaign;

import io.distlock.test.page.MeasuredTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which planted bugs were found, on {@code docs/evidence.md}: written by {@code scripts/prove-chaos} from
 * {@code docs/evidence-planted.csv}, and never by hand. A run replaces the rows of its own bugs.
 */
public final class PlantedBugsTable {

    private static final String SEPARATOR = ";";
    private static final String NAMES = "BUG;WHAT;BY;SECONDS;FOUND;ORIGIN";
    private static final String HEAD = """
            | bug | what is wrong | looked for by | found after | as | date and commit |
            |---|---|---|---|---|---|
            """;

    private final MeasuredTable table;

    /**
     * One bug, looked for in one way.
     *
     * @param bug its patch
     * @param what what is wrong, in words
     * @param by the provider of the campaign, or the simulation
     * @param seconds after how long it was found; empty if it was not
     * @param found the promises that were broken, or the history; empty if there was none
     * @param origin date and commit
     */
    public record Search(String bug, String what, String by, String seconds, String found, String origin) {

        private static final int WORDS = 6;

        private static Search parse(String line) {
            String[] words = line.split(SEPARATOR, -1);
            if (words.length != WORDS) {
                throw new IllegalArgumentException("not %d words, but %s".formatted(WORDS, line));
            }
            return new Search(words[0], words[1], words[2], words[3], words[4], words[5]);
        }

        private String line() {
            return Stream.of(bug, what, by, seconds, found, origin)
                    .map(word -> word.replace(SEPARATOR, ","))
                    .collect(Collectors.joining(SEPARATOR));
        }

        private boolean isSameAs(Search other) {
            return bug.equals(other.bug) && by.equals(other.by);
        }

        private String row() {
            String after = seconds.isEmpty() ? "**not found**" : seconds + " s";
            return "| `%s` | %s | %s | %s | %s | %s |".formatted(bug, what, by, after, found, origin);
        }
    }

    /** The page in a folder. */
    public PlantedBugsTable(Path folder) {
        table = new MeasuredTable(
                folder, "evidence", "evidence-planted", "scripts/prove-chaos --page", PlantedBugsTable::table);
    }

    /** Adds a bug, or replaces what came of it before. */
    public void record(Search latest) {
        List<Search> all = new ArrayList<>(searches(table.lines()).toList());
        all.removeIf(latest::isSameAs);
        all.add(latest);
        all.sort(Comparator.comparing((Search each) -> each.by.equals("simulation"))
                .thenComparing(Search::by)
                .thenComparing(Search::bug));
        table.write(
                Stream.concat(Stream.of(NAMES), all.stream().map(Search::line)).toList());
    }

    private static Stream<Search> searches(List<String> lines) {
        return lines.stream().skip(1).map(Search::parse);
    }

    private static String table(List<String> lines) {
        return HEAD + searches(lines).map(Search::row).collect(Collectors.joining("\n"));
    }

    /** The page as it is. */
    public String actual() {
        return table.actual();
    }

    /** The page as it must be by the data. */
    public String expected() {
        return table.expected();
    }
}
