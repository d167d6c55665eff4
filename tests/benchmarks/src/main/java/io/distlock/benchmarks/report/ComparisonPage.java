package io.distlock.benchmarks.report;

import io.distlock.benchmarks.report.Comparison.Kind;
import io.distlock.benchmarks.report.Report.Figure;
import io.distlock.test.page.MeasuredTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The figures of {@code docs/comparison.md} and the picture beside them. For one thread. */
public final class ComparisonPage {

    private static final List<String> HEAD =
            List.of("| | | acquire and release, p50 | cycles, 32 threads | hand-over, p50 |", "|---|---|---|---|---|");

    private final MeasuredTable table;
    private final Path picture;

    /** The page in a folder. */
    public ComparisonPage(Path folder) {
        this.table = new MeasuredTable(folder, "comparison", "scripts/benchmarks --compare", ComparisonPage::table);
        this.picture = folder.resolve("images").resolve("comparison.svg");
    }

    /**
     * Writes the figures, the table and the picture.
     *
     * @param origin date, commit and machine
     * @param byServer what was measured on each store, by its product and version
     */
    public void write(String origin, Map<String, List<Figure>> byServer) {
        List<Comparison> all = new ArrayList<>();
        byServer.forEach((server, figures) -> all.addAll(Comparison.of(server, figures)));
        List<String> lines = new ArrayList<>(List.of(origin));
        all.stream().map(Comparison::line).forEach(lines::add);
        table.write(lines);
        ComparisonPicture.of(all).write(picture);
    }

    /** The page as it is. */
    public String actual() {
        return table.actual();
    }

    /** The page as it must be by the figures. */
    public String expected() {
        return table.expected();
    }

    private static String table(List<String> lines) {
        List<String> rows = new ArrayList<>(HEAD);
        String server = "";
        for (String line : lines.subList(1, lines.size())) {
            Comparison each = Comparison.parse(line);
            rows.add("| %s | %s | %s | %s | %s |"
                    .formatted(
                            each.server().equals(server) ? "" : each.server(),
                            each.isOurs() ? "**this library**" : each.who(),
                            each.cell(Kind.CYCLE),
                            each.cell(Kind.THROUGHPUT),
                            each.cell(Kind.HAND_OVER)));
            server = each.server();
        }
        return "Measured " + lines.get(0) + ":\n\n" + String.join("\n", rows);
    }
}
