package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;

/** What each database says of a table, or of the way to it, by its codes. */
class TableCheckTests {

    private final Database database = Database.h2();

    @AfterEach
    void close() {
        database.close();
    }

    /** What the check makes of a database that answers its first statement so. */
    private DataAccessException failing(String state, int code) {
        return new UncategorizedSQLException("check", "insert", new SQLException("no", state, code));
    }

    private void check(DataAccessException failure) {
        NamedParameterJdbcTemplate template = new NamedParameterJdbcTemplate(database.direct()) {

            @Override
            public <T> List<T> query(String statement, SqlParameterSource parameters, RowMapper<T> rows) {
                throw failure;
            }
        };
        new TableCheck(database.sql(), Database.PATIENT, database.direct()).check(template);
    }

    /** PostgreSQL; MySQL and MariaDB by their ways to be read-only; H2. */
    @ParameterizedTest
    @CsvSource({"25006, 0", "HY000, 1290", "25006, 1792", "25000, 1792", "HY000, 1836", "90097, 90097"})
    void aReadOnlyDatabaseIsExplained(String state, int code) {
        assertThatThrownBy(() -> check(failing(state, code)))
                .isInstanceOf(JdbcLockSetupException.class)
                .hasMessageContaining("the database is read-only");
    }

    @ParameterizedTest
    @CsvSource({"42501, 0", "42000, 1142", "42000, 1143", "90096, 90096"})
    void aMissingRightIsExplained(String state, int code) {
        assertThatThrownBy(() -> check(failing(state, code)))
                .isInstanceOf(JdbcLockSetupException.class)
                .hasMessageContaining("the application may not use the table distributed_lock");
    }

    @ParameterizedTest
    @CsvSource({"42P01, 0", "42S02, 1146", "42S22, 1054", "42S02, 42102", "3F000, 0"})
    void aMissingTableIsExplained(String state, int code) {
        assertThatThrownBy(() -> check(failing(state, code)))
                .isInstanceOf(JdbcLockSetupException.class)
                .hasMessageContaining("the table distributed_lock is missing, or lacks columns")
                .hasMessageContaining(database.sql().script());
    }

    @Test
    void anotherFailureIsThatOfTheDatabase() {
        DataAccessException broken = new DataAccessResourceFailureException("broken", new SQLException("broken"));
        assertThatThrownBy(() -> check(broken)).isSameAs(broken);
        DataAccessException full = failing("53100", 0);
        assertThatThrownBy(() -> check(full)).isSameAs(full);
    }

    private static String refused(SQLException said) {
        // Wherever it is, as under a pool's timeout.
        return TableCheck.refused(new IllegalStateException("no connection", new SQLException("timeout", said)))
                .map(Throwable::getMessage)
                .orElse("");
    }

    @ParameterizedTest
    @CsvSource({"28P01, 0", "28000, 1045", "28000, 28000", "28000, 0"})
    void refusedCredentialsAreExplained(String state, int code) {
        assertThat(refused(new SQLException("no", state, code)))
                .contains("the database does not accept the user or the password");
    }

    @ParameterizedTest
    @CsvSource({"3D000, 0", "42000, 1049", "90149, 90149"})
    void aMissingDatabaseIsExplained(String state, int code) {
        assertThat(refused(new SQLException("no", state, code)))
                .contains("the database that the URL names does not exist");
    }

    /** It may be there later. */
    @ParameterizedTest
    @CsvSource({"08001, 0", "57P03, 0", "08S01, 1129", "53300, 0", "90067, 90067"})
    void aDatabaseThatDoesNotAnswerYetIsNoMistake(String state, int code) {
        assertThat(refused(new SQLException("no", state, code))).isEmpty();
        assertThat(refused(new SQLException("no"))).isEmpty();
    }
}
