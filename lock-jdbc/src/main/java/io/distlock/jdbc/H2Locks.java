package io.distlock.jdbc;

import java.util.Optional;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;

/** H2 2.2 and later, embedded or as a server. */
final class H2Locks extends LockSql {

    /** Takes the row if it is there. An update that has waited for another one looks at the row again. */
    private static final String ACQUIRE = """
            select {columns}, {now} from final table (
                update {table} set
                {take}
                where lock_key = :key and ({free} or {mine} or {noted}))""";

    private final String acquire;

    H2Locks(String table) {
        super("H2", "h2", table, "cast(extract(epoch from current_timestamp) * 1000000 as bigint)");
        this.acquire = sql(ACQUIRE.replace("{columns}", LockRow.COLUMNS));
    }

    @Override
    Optional<LockRow> take(NamedParameterJdbcOperations database, SqlParameterSource request) {
        Optional<LockRow> taken = first(database, acquire, request).or(() -> look(database, request));
        if (taken.isEmpty()) {
            insert(database, request);
        }
        return taken;
    }
}
