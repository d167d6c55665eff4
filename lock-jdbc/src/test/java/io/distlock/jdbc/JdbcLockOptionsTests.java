package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The name of the table becomes part of the statements, so that it must be a name and nothing else. */
class JdbcLockOptionsTests {

    @Test
    void eachOptionIsKeptWhenAnotherIsSetAndTheirLimitsAreAllowed() {
        String longest = "p".repeat(128);
        JdbcLockOptions options = JdbcLockOptions.defaults()
                .withConnectTimeout(Duration.ofSeconds(60))
                .withCallTimeout(Duration.ofMillis(100))
                .withKeyPrefix(longest)
                .withTable("locks")
                .withConnections(50);
        assertThat(options)
                .isEqualTo(new JdbcLockOptions("locks", longest, Duration.ofMillis(100), Duration.ofSeconds(60), 50));
        assertThat(options.withConnectTimeout(Duration.ofSeconds(60)).withTable("locks"))
                .isEqualTo(options);
    }

    @ParameterizedTest
    @ValueSource(strings = {"locks", "Locks", "_1", "app.locks", "App.Locks_2"})
    void namesThatNeedNoQuotes(String table) {
        assertThat(JdbcLockOptions.defaults().withTable(table).table()).isEqualTo(table);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\"Locks\"",
                "app.\"Locks\"",
                "`locks`",
                "[locks]",
                "1locks",
                "our locks",
                "locks ",
                "locks\n",
                ".locks",
                "app.",
                "db.app.locks",
                "locks; drop table orders; --",
                "locks'",
                "schlösser"
            })
    void othersAreRefusedWithTheRule(String table) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcLockOptions.defaults().withTable(table))
                .withMessageContaining("is not a table name: use letters, digits and underscores");
    }
}
