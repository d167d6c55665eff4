package io.distlock.jdbc.fence;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Removes the rows of locks that have not been used for a long time, so that the fence's table does not grow forever.
 *
 * <p>The holders that a removed row would have refused must still be refused. Before rows are removed, the <em>floor</em> of
 * their provider therefore rises to the largest token among them. For a key without a row, only tokens above the floor are
 * accepted. This refuses no live holder, since a provider's tokens grow with time over all its keys: etcd's are revisions of
 * the whole cluster, those of Redis and Redlock are at least the server's time in microseconds. So a token below that of a row
 * unused for the retention is older than the retention, and a lock is not held for longer than its maximum hold time.
 *
 * <p>A floor counts once it is {@link #SETTLING} old: by then, no statement is under way that began before it and could
 * insert a row without having seen it.
 */
public final class FenceCleaner {

    /** How old a floor must be before rows below it are removed. */
    static final Duration SETTLING = Duration.ofMinutes(30);

    private static final String FLOORS = "{floor}%";
    private static final int BATCH = 500;

    private final Statements statements;
    private final FenceSql sql;
    private final String table;
    private final Duration retention;

    /**
     * @param retention how long a row is kept after its last use; at least the longest time that a lock may be held
     */
    public FenceCleaner(DataSource dataSource, FenceTable table, Duration retention) {
        this(new Jdbc(dataSource), FenceSql.of(dataSource), table, retention);
    }

    FenceCleaner(Statements statements, FenceSql sql, FenceTable table, Duration retention) {
        this.statements = statements;
        this.sql = sql;
        this.table = table.name();
        this.retention = retention;
    }

    /**
     * Removes the rows that may be removed now, and prepares the next run. Several may run at once.
     *
     * @return how many rows were removed
     */
    public int clean() {
        int removed = 0;
        for (String source : statements.query(
                sql.unusedProviders(table, retention), Map.<String, Object>of("floors", FLOORS), String.class)) {
            Optional<Long> floor = floor(source, sql.unchangedToken(table, SETTLING));
            if (floor.isPresent()) {
                removed += remove(source, floor.get());
                raiseFloor(source, floor.get());
            } else if (floor(source, FenceSql.token(table)).isEmpty()) {
                // Raised again while it settles, as by several instances in turn, it would never be old enough.
                raiseFloor(source, -1);
            }
        }
        return removed;
    }

    private Optional<Long> floor(String source, String statement) {
        return statements
                .query(statement, Map.<String, Object>of("key", FenceTable.floorOf(source)), Long.class)
                .stream()
                .findFirst();
    }

    /** By key, and a few at a time: a condition without an index would lock every row that is looked at. */
    private int remove(String source, long floor) {
        int removed = 0;
        int found;
        do {
            List<String> keys = statements.query(
                    sql.unusedKeys(table, retention, BATCH),
                    Map.<String, Object>of("provider", source, "floor", floor, "floors", FLOORS),
                    String.class);
            found = keys.size();
            for (String key : keys) {
                removed += statements.update(
                        sql.deleteUnused(table, retention),
                        Map.<String, Object>of("key", key, "provider", source, "floor", floor));
            }
        } while (found == BATCH);
        return removed;
    }

    private void raiseFloor(String source, long floor) {
        List<Long> largest = statements.query(
                sql.largestUnused(table, retention),
                Map.<String, Object>of("provider", source, "floor", floor, "floors", FLOORS),
                Long.class);
        String key = FenceTable.floorOf(source);
        for (Long token : largest) {
            statements.update(
                    sql.advance(table),
                    Map.<String, Object>of("key", key, "token", token, "provider", source, "floor", key + "{none}"));
        }
    }

    /** Runs each statement in a READ COMMITTED transaction of its own. May block. */
    interface Statements {

        /** The first column of each row, of which none is null. */
        <T> List<T> query(String sql, Map<String, Object> parameters, Class<T> type);

        int update(String sql, Map<String, Object> parameters);
    }

    private static final class Jdbc implements Statements {

        private final NamedParameterJdbcTemplate jdbc;
        private final TransactionTemplate transactions;

        Jdbc(DataSource dataSource) {
            jdbc = new NamedParameterJdbcTemplate(dataSource);
            transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
            transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        }

        @Override
        public <T> List<T> query(String sql, Map<String, Object> parameters, Class<T> type) {
            return Objects.requireNonNull(transactions.execute(status -> jdbc.queryForList(sql, parameters, type)));
        }

        @Override
        public int update(String sql, Map<String, Object> parameters) {
            return Objects.requireNonNull(transactions.execute(status -> jdbc.update(sql, parameters)));
        }
    }
}
