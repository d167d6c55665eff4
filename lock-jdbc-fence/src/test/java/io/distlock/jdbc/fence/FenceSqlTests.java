package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FenceSqlTests {

    /** Rounded down, a row could go before its time. */
    @ParameterizedTest
    @EnumSource(FenceSql.class)
    void aRowIsKeptForWholeSecondsThatAreNotFewer(FenceSql sql) {
        assertThat(sql.unusedKeys("fence", Duration.ofMillis(41_001), 1)).containsPattern("\\b42\\b");
        assertThat(sql.unusedKeys("fence", Duration.ofSeconds(41), 1)).containsPattern("\\b41\\b");
    }

    /** An application's own shorter limit stays. */
    @ParameterizedTest
    @CsvSource({"0, true", "1, false", "5000, false", "5001, true", "60000, true"})
    void onlyAWaitWithoutEndOrOfMoreThanFiveSecondsIsShortened(long millis, boolean isLong) {
        assertThat(FenceSql.isLong(millis)).isEqualTo(isLong);
    }
}
