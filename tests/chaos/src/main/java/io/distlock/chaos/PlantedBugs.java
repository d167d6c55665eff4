package io.distlock.chaos;

import io.distlock.chaos.campaign.PlantedBugsTable;
import io.distlock.chaos.campaign.PlantedBugsTable.Search;
import java.nio.file.Path;

/** Writes on the page what came of one planted bug: see {@code scripts/prove-chaos}. */
public final class PlantedBugs {

    private PlantedBugs() {}

    /** {@code bug what by seconds found origin}. */
    public static void main(String[] words) {
        new PlantedBugsTable(Path.of("docs"))
                .record(new Search(words[0], words[1], words[2], words[3], words[4], words[5]));
    }
}
