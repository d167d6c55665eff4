package io.distlock.jdbc;

import java.util.Optional;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;

/**
 * MySQL 8 and MariaDB 10.6, and later. MariaDB answers with the row, MySQL needs a second statement for that. The clock is
 * counted in UTC: local times jump twice a year, and depend on the session.
 */
final class MySqlLocks extends LockSql {

    /** Inserts the row, or takes it. Assignments see those before them: see {@link #taken()}. */
    private static final String ACQUIRE = """
            insert into {table} (lock_key, owner, token, expires_at, readers, readers_until, writer, writer_until)
            select :key, :owner, greatest(1 + floors.floor_token, {now}), {now} + :ttl, '', 0, '', 0
            from (select coalesce(max(token), 0) as floor_token from {table} where lock_key = '{floor}') floors
            on duplicate key update
            {take}""";

    private final boolean mariaDb;
    private final String acquire;

    MySqlLocks(boolean mariaDb, String table) {
        super(
                mariaDb ? "MariaDB" : "MySQL",
                "mysql",
                table,
                "timestampdiff(microsecond, '1970-01-01 00:00:00', utc_timestamp(6))");
        this.mariaDb = mariaDb;
        String returning = mariaDb ? " returning " + LockRow.COLUMNS + ", {now}" : "";
        this.acquire = sql(ACQUIRE + returning);
    }

    /** The owner is assigned by now, and the token with it. An owner whose lease has expired is not let in past readers. */
    @Override
    String taken() {
        return "held.owner = :owner and held.readers_until <= {now}";
    }

    @Override
    Optional<LockRow> take(NamedParameterJdbcOperations database, SqlParameterSource request) {
        if (mariaDb) {
            return first(database, acquire, request);
        }
        database.update(acquire, request);
        try {
            return look(database, request);
        } catch (CannotGetJdbcConnectionException unread) {
            // Not the same as a request that was never sent.
            throw new DataAccessResourceFailureException("the row could not be read after the request", unread);
        }
    }
}
