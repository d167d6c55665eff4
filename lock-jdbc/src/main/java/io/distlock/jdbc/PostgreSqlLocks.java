package io.distlock.jdbc;

import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;

/**
 * PostgreSQL 12 and later. A release notifies in its own statement, so that the message is sent when it is committed, and only
 * then; and only if somebody waits: a message costs each process of the fleet a look. Whoever is refused and has patience marks the
 * row in the statement that refuses him, and each grant begins without a mark. Who was parked before that grant has been woken by
 * the release that made it possible, or by the listener's look at a lease that has ended, and so asks again and marks again.
 */
final class PostgreSqlLocks extends LockSql {

    private static final int MOST_TOGETHER = 64;

    /**
     * Inserts rows, or takes those that are free: all that uncontended requests need. Rows that were held when the statement began
     * are left alone, and the others are locked in the order of their keys, so that requests for several keys, and the
     * renewal of those that are held, do not block each other.
     *
     * <p>The lists are sub-selects so that a plan does not depend on their length: PostgreSQL would take the statement for cheaper
     * planned anew for each list, and planning it costs four times as much as the rest.
     */
    private static final String TAKE_FREE = """
            insert into {table} as held
                (lock_key, owner, token, expires_at, readers, readers_until, writer, writer_until)
            select asked.lock_key, asked.owner,
                greatest(
                    1 + coalesce((select floors.token from {table} floors where floors.lock_key = '{floor}'), 0), {now}),
                {now} + asked.ttl, '', 0, '', 0
            from unnest(
                    (select cast(:keys as text[])), (select cast(:owners as text[])), (select cast(:ttls as bigint[])))
                as asked(lock_key, owner, ttl)
            where not exists (
                select 1 from {table} seen
                where seen.lock_key = asked.lock_key and (seen.expires_at > {now} or seen.readers_until > {now}))
            order by asked.lock_key collate "C"
            on conflict (lock_key) do update set
                owner = excluded.owner, token = greatest(held.token + 1, {now}), expires_at = excluded.expires_at,
                readers = '',
                writer_until = case when held.writer = excluded.owner then 0 else held.writer_until end,
                writer = case when held.writer = excluded.owner then '' else held.writer end,
                waited = false
            where {free}
            returning {columns}, {now}, lock_key""";

    /** As {@link LockSql#release}, for several grants; a grant of which somebody waits for the end is announced. */
    private static final String RELEASE_ALL = """
            with freed as (
                update {table} as held
                set expires_at = case when asked.keep > 0 then {now} + asked.keep else 0 end,
                    owner = case when asked.keep > 0 then concat(held.owner, '/kept') else '' end
                from unnest(
                        (select cast(:keys as text[])), (select cast(:owners as text[])),
                        (select cast(:tokens as bigint[])), (select cast(:keeps as bigint[])))
                    as asked(lock_key, owner, token, keep)
                where held.lock_key = asked.lock_key and held.owner = asked.owner and held.token = asked.token
                    and held.expires_at > {now}
                returning held.lock_key, held.waited)
            select lock_key, case when waited then cast(pg_notify('{channel}', lock_key) as text) end from freed""";

    /**
     * Inserts the row, takes it, or marks it. A further refusal writes nothing; the row is then read as it was when the statement
     * began, and is missing if it was made meanwhile. It may show an owner who has lost the lock while the statement waited, and
     * who must not be taken for its holder.
     */
    private static final String ACQUIRE = """
            with mine as (
                insert into {table} as held
                    (lock_key, owner, token, expires_at, readers, readers_until, writer, writer_until)
                select :key, :owner, greatest(1 + coalesce(max(floors.token), 0), {now}), {now} + :ttl, '', 0, '', 0
                from {table} floors where floors.lock_key = '{floor}'
                on conflict (lock_key) do update set
                {take},
                waited = case when {free} then false else held.waited or :patience > 0 end
                where {free} or {mine} or {noted} or (:patience > 0 and not held.waited)
                returning {columns})
            select {columns}, {now} from mine
            union all
            select {refused}, {now} from {table} where lock_key = :key and not exists (select 1 from mine)""";

    private static final String REFUSED =
            LockRow.COLUMNS.replaceFirst("owner", "case when owner = :owner then '' else owner end");

    private static final String MARK = "update {table} set waited = true where lock_key = :key and not waited";

    private final String takeFree;
    private final String releaseAll;
    private final String acquire;
    private final String mark;
    private final String channel;
    private final String notifying;

    PostgreSqlLocks(String table) {
        super("PostgreSQL", "postgresql", table, "cast(extract(epoch from statement_timestamp()) * 1000000 as bigint)");
        this.takeFree = sql(TAKE_FREE.replace("{columns}", LockRow.COLUMNS));
        this.mark = sql(MARK);
        this.acquire = sql(ACQUIRE.replace("{columns}", LockRow.COLUMNS).replace("{refused}", REFUSED));
        // Without the schema, which one application may name and another find by its search path.
        String name = table.substring(table.indexOf('.') + 1).toLowerCase(Locale.ROOT);
        this.channel = "distlock_" + HexFormat.of().toHexDigits(name.hashCode());
        this.releaseAll = sql(RELEASE_ALL.replace("{channel}", channel));
        this.notifying = "with freed as (%s returning lock_key, waited)"
                + " select case when waited then cast(pg_notify('" + channel + "', lock_key) as text) end from freed";
    }

    @Override
    String heldPrefix() {
        return "held.";
    }

    @Override
    int mostTogether() {
        return MOST_TOGETHER;
    }

    @Override
    Map<String, LockRow> takeFree(NamedParameterJdbcOperations database, List<MapSqlParameterSource> requests) {
        MapSqlParameterSource all = new MapSqlParameterSource("keys", texts(requests, "key"))
                .addValue("owners", texts(requests, "owner"))
                .addValue("ttls", numbers(requests, "ttl"));
        return byKey(database, takeFree, all);
    }

    @Override
    Set<String> release(NamedParameterJdbcOperations database, List<MapSqlParameterSource> requests) {
        MapSqlParameterSource all = new MapSqlParameterSource("keys", texts(requests, "key"))
                .addValue("owners", texts(requests, "owner"))
                .addValue("tokens", numbers(requests, "token"))
                .addValue("keeps", numbers(requests, "keep"));
        return Set.copyOf(database.query(releaseAll, all, (row, number) -> row.getString(1)));
    }

    private static String[] texts(List<MapSqlParameterSource> requests, String name) {
        return requests.stream().map(each -> each.getValue(name)).toArray(String[]::new);
    }

    private static Long[] numbers(List<MapSqlParameterSource> requests, String name) {
        return requests.stream().map(each -> each.getValue(name)).toArray(Long[]::new);
    }

    @Override
    Optional<LockRow> take(NamedParameterJdbcOperations database, SqlParameterSource request) {
        return first(database, acquire, request);
    }

    @Override
    boolean markWaited(NamedParameterJdbcOperations database, SqlParameterSource request) {
        return database.update(mark, request) > 0;
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

    @Override
    Optional<String> forgetPlans() {
        return Optional.of("discard plans");
    }
}
