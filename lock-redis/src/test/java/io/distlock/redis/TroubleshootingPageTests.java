package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.house.MessagePage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TroubleshootingPageTests {

    /** They begin the text of a script, which nobody reads. */
    private static final Set<String> SCRIPT_HEADERS = Set.of("RedisScripts", "ServerIncarnation");

    @Test
    void everyMessageIsExplained() throws IOException {
        assertThat(new MessagePage(Path.of("..", "docs", "troubleshooting.md"))
                        .missing(Path.of("src", "main", "java"), SCRIPT_HEADERS))
                .isEmpty();
    }
}
