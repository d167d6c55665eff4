package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.house.MessagePage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TroubleshootingPageTests {

    @Test
    void everyMessageIsExplained() throws IOException {
        assertThat(new MessagePage(Path.of("..", "docs", "troubleshooting.md"))
                        .missing(Path.of("src", "main", "java"), Set.of()))
                .isEmpty();
    }
}
