package io.distlock.jdbc;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Tries the table once with a row that is nobody's: it must be there with all columns, the application may read, insert,
 * update and delete, and keys that differ in case alone must differ. In a transaction that is rolled back: nothing is left, even
 * if the process dies meanwhile.
 */
record TableCheck(LockSql sql, JdbcLockOptions options, DataSource dataSource) {

    private static final long TIME_MICROS = 60_000_000;

    void check(NamedParameterJdbcOperations database) {
        new TransactionTemplate(new JdbcTransactionManager(dataSource)).executeWithoutResult(transaction -> {
            transaction.setRollbackOnly();
            tryTable(database);
        });
    }

    private void tryTable(NamedParameterJdbcOperations database) {
        String key = "{check}" + UUID.randomUUID() + "{a}";
        String alike = key.replace("{a}", "{A}");
        try {
            Optional<LockRow> taken = Optional.empty();
            while (taken.isEmpty()) {
                taken = sql.take(database, row(key));
            }
            boolean folded = sql.look(database, row(alike)).isPresent();
            sql.free(database, sql.withdraw, row(key));
            database.update(
                    sql.remove,
                    row(key).addValue("keys", List.of(key))
                            .addValue("token", taken.get().token())
                            .addValue("retention", -TIME_MICROS));
            if (folded) {
                throw new JdbcLockSetupException(
                        "the table " + options.table()
                                + " takes upper case for lower case in its column lock_key, so that two"
                                + " locks would be one",
                        "Create it with the script " + sql.script()
                                + ", and give the column lock_key a collation that is" + " case-sensitive.");
            }
        } catch (DataAccessException failure) {
            throw explained(failure);
        }
    }

    private static MapSqlParameterSource row(String key) {
        return new MapSqlParameterSource("key", key)
                .addValue("owner", "check")
                .addValue("ttl", TIME_MICROS)
                .addValue("patience", 0L);
    }

    private RuntimeException explained(DataAccessException failure) {
        String state = failure.getMostSpecificCause() instanceof SQLException said && said.getSQLState() != null
                ? said.getSQLState()
                : "";
        int code = failure.getMostSpecificCause() instanceof SQLException said ? said.getErrorCode() : 0;
        if (state.equals("25006") || code == 1290 || code == 1792 || code == 1836 || code == 90097) {
            return new JdbcLockSetupException(
                    "the database is read-only, so that no lock can be taken in it",
                    "Lead the locks to the primary: a replica cannot keep them. Define a DataSource for it with"
                            + " @LockDataSource.",
                    failure);
        } else if (state.equals("42501") || code == 1142 || code == 1143 || code == 90096) {
            return new JdbcLockSetupException(
                    "the application may not use the table " + options.table(),
                    "Grant it select, insert, update and delete there.",
                    failure);
        } else if (state.startsWith("42") || state.equals("3F000")) {
            return new JdbcLockSetupException(
                    "the table " + options.table() + " is missing, or lacks columns",
                    "Create it with the script " + sql.script()
                            + ", for instance by Flyway or Liquibase, or set distributed-lock.jdbc.initialize-schema=always.",
                    failure);
        }
        return failure;
    }

    /** What is wrong with the way to the database, if waiting for it does not help. */
    static Optional<JdbcLockSetupException> refused(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof JdbcLockSetupException known) {
                return Optional.of(known);
            } else if (cause instanceof SQLException said && said.getSQLState() != null) {
                String state = said.getSQLState();
                if (state.startsWith("28")) {
                    return Optional.of(new JdbcLockSetupException(
                            "the database does not accept the user or the password",
                            "Correct spring.datasource.username and spring.datasource.password, or those of the"
                                    + " @LockDataSource.",
                            failure));
                } else if (state.equals("3D000") || said.getErrorCode() == 1049 || said.getErrorCode() == 90149) {
                    return Optional.of(new JdbcLockSetupException(
                            "the database that the URL names does not exist",
                            "Create it, or correct spring.datasource.url, or that of the @LockDataSource.",
                            failure));
                }
            }
        }
        return Optional.empty();
    }
}
