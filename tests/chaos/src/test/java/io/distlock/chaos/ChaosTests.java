package io.distlock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.chaos.campaign.Figures.Figure;
import io.distlock.chaos.campaign.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A campaign short enough for each build. */
class ChaosTests {

    @TempDir
    Path folder;

    /** Whether the control breaks a promise in so short a time is chance: then the next campaign is longer. */
    @Test
    void aShortCampaignKeepsEveryPromiseAndItsControlBreaksThem() throws IOException {
        Result result = campaign(1);
        for (int seed = 2; seed <= 5 && !result.verdict().control().isProof(); seed++) {
            result = campaign(seed);
        }
        assertThat(result.verdict().control().isProof()).as(result.report()).isTrue();
    }

    private Result campaign(int seed) throws IOException {
        Result result = Chaos.run("redis", seed, Duration.ofSeconds(8).multipliedBy(seed), false, folder);
        assertThat(result.verdict().violations()).as(result.report()).isEmpty();
        assertThat(result.figures().get(Figure.LOCKS)).isPositive();
        return result;
    }
}
