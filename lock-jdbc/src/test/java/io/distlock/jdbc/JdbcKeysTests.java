package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JdbcKeysTests {

    private static final String LONG = "x".repeat(512);

    @Test
    void locksWithDifferentPrefixesHaveDifferentRows() {
        for (LockKey key : List.of(LockKey.of("orders"), LockKey.of("orders", "42"), LockKey.of(LONG, LONG))) {
            assertThat(new JdbcKeys("one").row(key)).isNotEqualTo(new JdbcKeys("other").row(key));
        }
    }

    /** Wherever the cut would be: half a character cannot be stored. */
    @Test
    void aLongKeyIsCutBetweenCharacters() {
        for (int before = 1; before < 5; before++) {
            LockKey key = LockKey.of("x".repeat(before) + "𝄞".repeat(127), "𝄞".repeat(128));
            String row = new JdbcKeys("lock").row(key);
            assertThat(row).hasSizeBetween(500, 512);
            assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(row))
                    .as("after %s characters: %s", before, row)
                    .isTrue();
        }
    }
}
