package io.distlock.jdbc;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;

/**
 * All SQL of the locks. What databases have in common is here; what differs is in a subclass for each. {@code {table}} and
 * {@code {now}} are replaced when it is made; {@code {now}} is when the statement began, in microseconds since 1970 by the
 * database's clock. That is after the request was sent, so a grant in the database outlasts the engine's belief in it, and it
 * stands still while the statement waits for another one.
 *
 * <p>Each statement is a transaction of its own. At READ COMMITTED a statement that has waited for a row judges the row's newest
 * version, and every condition here is about one row: so two statements on one key behave as if one came after the other.
 *
 * <p>Parameters: {@code key} (the row), {@code owner}, {@code token}, times in microseconds: {@code ttl}, {@code keep}
 * and {@code patience}, how long a writer's mark keeps readers out.
 */
abstract class LockSql {

    /** The row with the largest token among the removed ones. No lock's row begins with a brace. */
    static final String FLOOR = "{floor}";

    /** Nobody holds it, and no reader. */
    static final String FREE = "(held.expires_at <= {now} and held.readers_until <= {now})";

    /** The same owner asks again. */
    static final String MINE = "(held.owner = :owner and held.expires_at > {now})";

    /**
     * Readers hold it, and the writer asks those who come later to let it pass. Not if another writer's mark lasts longer, which
     * serves both.
     */
    private static final String NOTED = "(held.expires_at <= {now} and held.readers_until > {now}"
            + " and held.owner <> :owner and :patience > 0"
            + " and (held.writer = :owner or held.writer_until <= {now} + :patience))";

    /**
     * What an exclusive request makes of a row. In this order, since MySQL's expressions see the columns assigned
     * before them; standard SQL sees the old ones.
     */
    private static final String TAKE = """
            writer_until = case when {free} or {mine} then (case when held.writer = :owner then 0 else held.writer_until end)
                                when {noted} then {now} + :patience else held.writer_until end,
            writer = case when {free} or {mine} then (case when held.writer = :owner then '' else held.writer end)
                          when {noted} then :owner else held.writer end,
            token = case when {free} then greatest(held.token + 1, {now}) else held.token end,
            readers = case when {free} then '' else held.readers end,
            owner = case when {free} then :owner else held.owner end,
            expires_at = case when {taken} then greatest(held.expires_at, {now} + :ttl) else held.expires_at end""";

    /** A new row: its first token is above those of all removed rows. */
    private static final String INSERT = """
            insert into {table} (lock_key, owner, token, expires_at, readers, readers_until, writer, writer_until)
            select :key, '', coalesce(max(floors.token), 0), 0, '', 0, '', 0
            from {table} floors where floors.lock_key = '{floor}'""";

    private static final String LOOK_AT_ALL =
            "select " + LockRow.COLUMNS + ", {now}, lock_key from {table} where lock_key in (:keys)";

    private static final String LOOK = "select " + LockRow.COLUMNS + ", {now} from {table} where lock_key = :key";

    /** Another grant to this owner is not touched. */
    private static final String RELEASE = """
            update {table}
            set expires_at = case when :keep > 0 then {now} + :keep else 0 end,
                owner = case when :keep > 0 then concat(owner, '/kept') else '' end
            where lock_key = :key and owner = :owner and token = :token and expires_at > {now}""";

    /** Whatever this owner has left: a grant, or a writer's mark. */
    private static final String WITHDRAW = """
            update {table}
            set expires_at = case when owner = :owner then 0 else expires_at end,
                owner = case when owner = :owner then '' else owner end,
                writer_until = case when writer = :owner then 0 else writer_until end,
                writer = case when writer = :owner then '' else writer end
            where lock_key = :key and (owner = :owner or writer = :owner)""";

    /** An owner holds one key, so that the three lists need no pairing; the key's index finds the rows. */
    private static final String RENEW = """
            update {table} set expires_at = greatest(expires_at, {now} + :ttl)
            where lock_key in (:keys) and owner in (:owners) and token in (:tokens) and expires_at > {now}""";

    private static final String RENEWED = """
            select owner from {table}
            where lock_key in (:keys) and owner in (:owners) and token in (:tokens) and expires_at > {now}""";

    /**
     * Replaces the readers if the row is as it was read: no token has been given since, and the readers are the same. A holder
     * whose lease is over is forgotten: a statement of his that began before that must not find him beside readers.
     *
     * <p>Readers are in the row of their lock, so that this needs no transaction over several statements: a client that stalls in
     * the middle of one would block everybody.
     */
    private static final String READERS = """
            update {table} set token = :next, readers = :readers, readers_until = :until, owner = '', expires_at = 0
            where lock_key = :key and token = :token and readers = :before and expires_at <= {now}""";

    private static final String UNUSED = """
            select lock_key, token from {table}
            where expires_at < {now} - :retention and readers_until < {now} - :retention
                and writer_until < {now} - :retention and token < {now} - :retention and lock_key <> '{floor}' limit 500""";

    private static final String RAISE_FLOOR =
            "update {table} set token = greatest(token, :token), expires_at = 0 where lock_key = '{floor}'";

    /** A row that has been used meanwhile has a larger token than all that were found unused. */
    private static final String REMOVE = """
            delete from {table}
            where lock_key in (:keys) and token <= :token and expires_at < {now} - :retention
                and readers_until < {now} - :retention and writer_until < {now} - :retention""";

    private final String products;
    private final String platform;
    private final String table;
    private final String now;

    final String insert;
    final String look;
    private final String lookAtAll;
    final String release;
    final String withdraw;
    final String renew;
    final String renewed;
    final String readers;
    final String unused;
    final String raiseFloor;
    final String remove;
    final String clock;

    /**
     * A dialect.
     *
     * @param products what the database's metadata call it, as a regular expression
     * @param platform as in the name of the script that creates the table
     * @param now the clock's expression
     */
    LockSql(String products, String platform, String table, String now) {
        this.products = products;
        this.platform = platform;
        this.table = table;
        this.now = now;
        this.insert = sql(INSERT);
        this.look = sql(LOOK);
        this.lookAtAll = sql(LOOK_AT_ALL);
        this.release = sql(RELEASE);
        this.withdraw = sql(WITHDRAW);
        this.renew = sql(RENEW);
        this.renewed = sql(RENEWED);
        this.readers = sql(READERS);
        this.unused = sql(UNUSED);
        this.raiseFloor = sql(RAISE_FLOOR);
        this.remove = sql(REMOVE);
        this.clock = sql("select {now}");
    }

    /** Whether it is for databases that call themselves this. */
    final boolean isFor(String product) {
        return product.matches(products);
    }

    /** Replaces what stands in braces. */
    final String sql(String text) {
        return text.replace("{take}", TAKE)
                .replace("{noted}", NOTED)
                .replace("{free}", FREE)
                .replace("{mine}", MINE)
                .replace("{taken}", taken())
                .replace("held.", heldPrefix())
                .replace("{table}", table)
                .replace("{now}", now);
    }

    /** When an exclusive request has the row, where {@code expires_at} is assigned. */
    String taken() {
        return FREE + " or " + MINE;
    }

    /** The name of the row that is there, with a dot, where it needs one. */
    String heldPrefix() {
        return "";
    }

    /** The kind of database, for diagnostics. */
    final String product() {
        return products;
    }

    /** The class-path location of the script that creates the table. */
    final String script() {
        return "io/distlock/jdbc/schema-" + platform + ".sql";
    }

    /** How many requests, each for a key of its own, one statement can serve. */
    int mostTogether() {
        return 1;
    }

    /**
     * Exclusive requests, as many as can share a statement, each for a key of its own.
     *
     * @return rows as they are afterwards, by their keys; one that is missing is to be asked for by {@link #take}
     */
    Map<String, LockRow> takeFree(NamedParameterJdbcOperations database, List<MapSqlParameterSource> requests) {
        Map<String, LockRow> rows = new HashMap<>();
        requests.forEach(request -> take(database, request).ifPresent(row -> rows.put(key(request), row)));
        return rows;
    }

    /** Releases exclusive grants, as many as can share a statement, each of a key of its own; the keys of those that were held. */
    Set<String> release(NamedParameterJdbcOperations database, List<MapSqlParameterSource> requests) {
        return requests.stream()
                .filter(request -> free(database, release, request) > 0)
                .map(LockSql::key)
                .collect(Collectors.toSet());
    }

    static String key(SqlParameterSource request) {
        return String.valueOf(request.getValue("key"));
    }

    /**
     * An exclusive request: takes the row if it is free, extends it if the owner has it already, marks the writer if it has patience and
     * readers hold it.
     *
     * @return the row afterwards; empty if it is missing or is just being made: to be repeated
     */
    abstract Optional<LockRow> take(NamedParameterJdbcOperations database, SqlParameterSource request);

    /** Runs one of the updates that may free a lock, and tells those who wait where the database can; the count of rows. */
    int free(NamedParameterJdbcOperations database, String update, SqlParameterSource lock) {
        return database.update(update, lock);
    }

    /**
     * Has the next release announced, if the database announces only what somebody waits for.
     *
     * @return whether that is new, so that the row is to be judged once more: it may have been freed in between, unannounced
     */
    boolean markWaited(NamedParameterJdbcOperations database, SqlParameterSource request) {
        return false;
    }

    /** The channel on which releases are announced, if the database can. */
    Optional<String> channel() {
        return Optional.empty();
    }

    /** Has a connection plan its statements afresh, if the database keeps their plans whatever becomes of the table. */
    Optional<String> forgetPlans() {
        return Optional.empty();
    }

    final Optional<LockRow> look(NamedParameterJdbcOperations database, SqlParameterSource lock) {
        return first(database, look, lock);
    }

    /** The rows of these keys that are there. */
    final Map<String, LockRow> lookAtAll(NamedParameterJdbcOperations database, Collection<String> keys) {
        return byKey(database, lookAtAll, new MapSqlParameterSource("keys", keys));
    }

    static Map<String, LockRow> byKey(
            NamedParameterJdbcOperations database, String sql, SqlParameterSource parameters) {
        Map<String, LockRow> found = new HashMap<>();
        database.query(sql, parameters, row -> {
            found.put(row.getString(LockRow.KEY_COLUMN), LockRow.of(row, found.size()));
        });
        return found;
    }

    /** Makes the row of a key, if nobody is faster. */
    final void insert(NamedParameterJdbcOperations database, SqlParameterSource lock) {
        try {
            database.update(insert, lock);
        } catch (DuplicateKeyException another) {
            // It is there now, which is all that matters.
        }
    }

    static Optional<LockRow> first(NamedParameterJdbcOperations database, String sql, SqlParameterSource lock) {
        return database.query(sql, lock, LockRow::of).stream().findFirst();
    }
}
