package io.distlock.chaos.campaign;

import io.distlock.chaos.campaign.Figures.Figure;
import io.distlock.test.page.MeasuredTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The table of the last campaign on {@code docs/evidence.md}, written from {@code docs/evidence.csv} and never by hand. */
public final class EvidencePage {

    private static final List<String> HEAD = List.of(
            "| provider | seed | time | clients killed, frozen or stepped | other faults | locks and permits granted | changes of leader"
                    + " | ms to the next one: after a resignation, otherwise | losses told | stale writes refused"
                    + " | **broken promises** | beyond the promise | without the protection |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|");

    private final MeasuredTable table;

    /** The page in a folder. */
    public EvidencePage(Path folder) {
        table = new MeasuredTable(folder, "evidence", "scripts/chaos --page", EvidencePage::table);
    }

    /**
     * Writes the data and the table.
     *
     * @param origin date and commit
     * @param figures one for each campaign
     */
    public void write(String origin, List<Figures> figures) {
        List<String> lines = new ArrayList<>(List.of(origin, Figures.names()));
        figures.stream().map(Figures::line).forEach(lines::add);
        table.write(lines);
    }

    /** The page as it is. */
    public String actual() {
        return table.actual();
    }

    /** The page as it must be by the data. */
    public String expected() {
        return table.expected();
    }

    private static String table(List<String> lines) {
        Stream<String> rows = lines.stream().skip(2).map(Figures::parse).map(EvidencePage::row);
        return "Campaigns of " + lines.get(0) + ":\n\n"
                + String.join("\n", Stream.concat(HEAD.stream(), rows).toList());
    }

    private static String row(Figures each) {
        return "| %s (%s) | %d | %d s | %d | %d | %d + %d of %d | %d | %d, %d | %d | %d of %d | **%d** | %d | %d overlaps, %d stale writes |"
                .formatted(
                        each.provider(),
                        each.server(),
                        each.get(Figure.SEED),
                        each.get(Figure.SECONDS),
                        each.get(Figure.CLIENT_FAULTS),
                        each.get(Figure.STORE_FAULTS),
                        each.get(Figure.LOCKS),
                        each.get(Figure.PERMITS),
                        each.get(Figure.ATTEMPTS),
                        each.get(Figure.CHANGES_OF_LEADER),
                        each.get(Figure.MILLIS_AFTER_RESIGNATION),
                        each.get(Figure.MILLIS_AFTER_OTHERS),
                        each.get(Figure.LOSSES),
                        each.get(Figure.REFUSED),
                        each.get(Figure.WRITES),
                        each.get(Figure.VIOLATIONS),
                        each.get(Figure.BEYOND),
                        each.get(Figure.OVERLAPS),
                        each.get(Figure.STALE_WRITES));
    }
}
