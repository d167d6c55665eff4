package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FenceSqlTests {

    /** Rounded down, a row could go before its time. */
    @ParameterizedTest
    @EnumSource(FenceSql.class)
    void aRowIsKeptForWholeSecondsThatAreNotFewer(FenceSql sql) {
        assertThat(sql.unusedKeys("fence", Duration.ofMillis(41_001), 1)).containsPattern("\\b42\\b");
        assertThat(sql.unusedKeys("fence", Duration.ofSeconds(41), 1)).containsPattern("\\b41\\b");
    }
}
