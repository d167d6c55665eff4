package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.house.MessagePage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TroubleshootingPageTests {

    private static final Set<String> STATEMENTS =
            Set.of("LockSql", "PostgreSqlLocks", "MySqlLocks", "H2Locks", "LockRow");

    @Test
    void everyMessageIsExplained() throws IOException {
        assertThat(new MessagePage(Path.of("..", "docs", "troubleshooting.md"))
                        .missing(Path.of("src", "main", "java"), STATEMENTS))
                .isEmpty();
    }
}
