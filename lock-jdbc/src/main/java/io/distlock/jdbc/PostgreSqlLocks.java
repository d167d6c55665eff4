package io.distlock.jdbc;

import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;

/**
 * PostgreSQL 12 and later. A release notifies in its own statement, so that the message is sent when it is committed, and only
 * then.
 */
final class PostgreSqlLocks extends LockSql {

    /**
     * Inserts the row, or takes it. A refusal writes nothing; the row is then read as it was when the statement began, and is
     * missing if it was made meanwhile. It may show an owner who has lost the lock while the statement waited, and who must not
     * be taken for its holder.
     */
    private static final String ACQUIRE = """
            with mine as (
                insert into {table} as held
                    (lock_key, owner, token, expires_at, readers, readers_until, writer, writer_until)
                select :key, :owner, greatest(1 + coalesce(max(floors.token), 0), {now}), {now} + :ttl, '', 0, '', 0
                from {table} floors where floors.lock_key = '{floor}'
                on conflict (lock_key) do update set
                {take}
                where {free} or {mine} or {noted}
                returning {columns})
            select {columns}, {now} from mine
            union all
            select {refused}, {now} from {table} where lock_key = :key and not exists (select 1 from mine)""";

    private static final String REFUSED =
            LockRow.COLUMNS.replaceFirst("owner", "case when owner = :owner then '' else owner end");

    private final String acquire;
    private final String channel;
    private final String notifying;

    PostgreSqlLocks(String table) {
        super("PostgreSQL", "postgresql", table, "cast(extract(epoch from statement_timestamp()) * 1000000 as bigint)");
        this.acquire = sql(ACQUIRE.replace("{columns}", LockRow.COLUMNS).replace("{refused}", REFUSED));
        // Without the schema, which one application may name and another find by its search path.
        String name = table.substring(table.indexOf('.') + 1).toLowerCase(Locale.ROOT);
        this.channel = "distlock_" + HexFormat.of().toHexDigits(name.hashCode());
        this.notifying =
                "with freed as (%s returning lock_key) select pg_notify('" + channel + "', lock_key) from freed";
    }

    @Override
    String heldPrefix() {
        return "held.";
    }

    @Override
    Optional<LockRow> take(NamedParameterJdbcOperations database, SqlParameterSource request) {
        return first(database, acquire, request);
    }

    @Override
    int free(NamedParameterJdbcOperations database, String update, SqlParameterSource lock) {
        return database.query(notifying.formatted(update), lock, (row, number) -> number)
                .size();
    }

    @Override
    Optional<String> channel() {
        return Optional.of(channel);
    }
}
