package io.distlock.chaos;

import io.distlock.chaos.campaign.Campaign;
import io.distlock.chaos.campaign.EvidencePage;
import io.distlock.chaos.campaign.Figures;
import io.distlock.chaos.campaign.Result;
import io.distlock.chaos.store.ChaosStore;
import io.distlock.chaos.store.Stores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs campaigns: see {@code scripts/chaos}. */
public final class Chaos {

    private static final Path FOLDER = Path.of("target", "chaos");

    private Chaos() {}

    /** Runs what the arguments name. Ends with 1 if a promise was not kept, or the control was. */
    public static void main(String[] words) throws IOException {
        Arguments arguments;
        try {
            arguments = Arguments.of(List.of(words));
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.exit(2);
            return;
        }
        List<Figures> figures = new ArrayList<>();
        boolean good = true;
        for (String provider : arguments.providers()) {
            for (long seed : arguments.seeds()) {
                Result result = run(provider, seed, arguments.duration(), arguments.untilBroken(), FOLDER);
                System.out.println(result.report());
                figures.add(result.figures());
                good &= result.verdict().isGood();
            }
        }
        if (arguments.page()) {
            new EvidencePage(Path.of("docs")).write(System.getProperty("chaos.origin", "an unknown commit"), figures);
        }
        System.exit(good ? 0 : 1);
    }

    /**
     * Runs one campaign on servers of its own.
     *
     * @param provider the provider
     * @param seed the seed
     * @param duration how long faults go on
     * @param untilBroken whether it ends as soon as a promise is broken
     * @param folder where the journals go, in a folder of their own
     */
    public static Result run(String provider, long seed, Duration duration, boolean untilBroken, Path folder)
            throws IOException {
        Files.createDirectories(folder);
        Path journals = Files.createTempDirectory(folder.toAbsolutePath(), provider + '-' + seed + '-');
        try (ChaosStore store = Stores.start(provider)) {
            return new Campaign(store, seed, duration, untilBroken, journals).run();
        }
    }
}
