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

    @Test
    void aShortCampaignKeepsEveryPromiseAndItsControlBreaksThem() throws IOException {
        Result result = Chaos.run("redis", 1, Duration.ofSeconds(8), false, folder);
        assertThat(result.verdict().violations()).as(result.report()).isEmpty();
        assertThat(result.verdict().control().isProof()).as(result.report()).isTrue();
        assertThat(result.figures().get(Figure.LOCKS)).isPositive();
    }
}
