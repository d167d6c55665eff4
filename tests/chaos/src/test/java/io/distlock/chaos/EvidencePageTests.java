package io.distlock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.chaos.campaign.EvidencePage;
import io.distlock.chaos.campaign.Figures;
import io.distlock.chaos.campaign.PlantedBugsTable;
import io.distlock.chaos.campaign.PlantedBugsTable.Search;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvidencePageTests {

    private static final Figures FIGURES = Figures.parse("redis;Redis 7;1;60;2;3;9;5;6;44;7;9;4;8;7;0;6;11;12");

    @TempDir
    Path folder;

    @Test
    void thePagesTableIsThatOfTheLastCampaign() {
        EvidencePage page = new EvidencePage(Path.of("..", "..", "docs"));
        assertThat(page.actual())
                .as("write the table with scripts/chaos --page, not by hand")
                .isEqualTo(page.expected());
    }

    @Test
    void aCampaignReplacesTheTableAndNothingElse() throws IOException {
        Files.writeString(
                folder.resolve("evidence.md"),
                "before\n<!-- written by scripts/chaos --page -->\nearlier figures\n<!-- end -->\nafter\n");
        EvidencePage page = new EvidencePage(folder);
        page.write("today", List.of(FIGURES));
        assertThat(page.actual())
                .startsWith("before\n")
                .endsWith("\n<!-- end -->\nafter\n")
                .contains("Campaigns of today:")
                .contains("| redis (Redis 7) | 1 | 60 s | 2 | 3 | 5 + 6 of 9 | 44 | 7, 9 | 4 | 7 of 8 | **0** | 6 | 11"
                        + " overlaps, 12 stale writes |")
                .doesNotContain("earlier figures");
    }

    @Test
    void aFigureChangedByHandIsNoticed() throws IOException {
        aCampaignReplacesTheTableAndNothingElse();
        EvidencePage page = new EvidencePage(folder);
        Files.writeString(folder.resolve("evidence.md"), page.actual().replace("**0**", "**1**"));
        assertThat(page.actual()).isNotEqualTo(page.expected());
    }

    @Test
    void thePagesTableOfPlantedBugsIsThatOfTheLastRuns() {
        PlantedBugsTable planted = new PlantedBugsTable(Path.of("..", "..", "docs"));
        assertThat(planted.actual())
                .as("write the table with scripts/prove-chaos --page, not by hand")
                .isEqualTo(planted.expected());
    }

    @Test
    void aLaterSearchForABugReplacesTheEarlierOne() throws IOException {
        Files.writeString(
                folder.resolve("evidence.md"), "<!-- written by scripts/prove-chaos --page -->\n<!-- end -->\n");
        Files.writeString(folder.resolve("evidence-planted.csv"), "BUG\n");
        PlantedBugsTable planted = new PlantedBugsTable(folder);
        planted.record(new Search("a-bug", "what", "simulation", "", "", "today"));
        planted.record(new Search("a-bug", "what", "redis", "", "", "today"));
        planted.record(new Search("a-bug", "what", "redis", "7", "exclusion", "later"));
        assertThat(planted.actual())
                .contains("| `a-bug` | what | redis | 7 s | exclusion | later |\n| `a-bug` | what | simulation | **not"
                        + " found** |  | today |\n<!-- end -->")
                .containsOnlyOnce("redis");
    }
}
