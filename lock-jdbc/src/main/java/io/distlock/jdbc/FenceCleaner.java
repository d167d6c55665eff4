package io.distlock.jdbc;

import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
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
    private static final String UNUSED = " where provider = :source and token <= :floor and updated_at < :since";
    private static final int BATCH = 500;

    private final NamedParameterJdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final String name;
    private final String advance;
    private final Duration retention;

    /**
     * @param retention how long a row is kept after its last use; at least the longest time that a lock may be held
     */
    public FenceCleaner(DataSource dataSource, FenceTable table, Duration retention) {
        this.jdbc = new NamedParameterJdbcTemplate(dataSource);
        this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        this.transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        this.name = table.name();
        this.advance = FenceDatabase.of(dataSource).advance().formatted(name);
        this.retention = retention;
    }

    /**
     * Removes the rows that may be removed now, and prepares the next run. Several may run at once.
     *
     * @return how many rows were removed
     */
    public int clean() {
        Timestamp now = in(() -> Objects.requireNonNull(
                jdbc.getJdbcTemplate().queryForObject("select current_timestamp", Timestamp.class)));
        Timestamp unusedSince = before(now, retention);
        int removed = 0;
        for (String source : in(() -> unused(unusedSince))) {
            Optional<Floor> floor = in(() -> floor(source));
            // Raised again while it settles, as by several instances in turn, it would never be old enough.
            if (floor.isEmpty() || !floor.get().since.after(before(now, SETTLING))) {
                removed += floor.map(each -> remove(source, each.token, unusedSince))
                        .orElse(0);
                in(() -> raiseFloor(source, unusedSince, floor));
            }
        }
        return removed;
    }

    private <T> T in(Supplier<T> step) {
        return Objects.requireNonNull(transactions.execute(status -> step.get()));
    }

    private static Timestamp before(Timestamp time, Duration earlier) {
        return Timestamp.from(time.toInstant().minus(earlier));
    }

    private List<String> unused(Timestamp since) {
        return jdbc.query(
                "select distinct provider from " + name + " where updated_at < :since and lock_key not like :floors",
                Map.<String, Object>of("since", since, "floors", FLOORS),
                (row, number) -> row.getString(1));
    }

    private Optional<Floor> floor(String source) {
        return jdbc
                .query(
                        "select token, updated_at from " + name + " where lock_key = :key",
                        Map.of("key", FenceTable.floorOf(source)),
                        (row, number) -> new Floor(row.getLong(1), row.getTimestamp(2)))
                .stream()
                .findFirst();
    }

    /** By key, and a few at a time: a condition without an index would lock every row that is looked at. */
    private int remove(String source, long floor, Timestamp unusedSince) {
        Map<String, Object> unused = Map.<String, Object>of(
                "source", source, "floor", floor, "since", unusedSince, "floors", FLOORS, "most", BATCH);
        int removed = 0;
        int found;
        do {
            List<String> keys = in(() -> jdbc.query(
                    "select lock_key from " + name + UNUSED + " and lock_key not like :floors limit :most",
                    unused,
                    (row, number) -> row.getString(1)));
            found = keys.size();
            for (String key : keys) {
                Map<String, Object> row =
                        Map.<String, Object>of("key", key, "source", source, "floor", floor, "since", unusedSince);
                removed += in(() -> jdbc.update("delete from " + name + UNUSED + " and lock_key = :key", row));
            }
        } while (found == BATCH);
        return removed;
    }

    private boolean raiseFloor(String source, Timestamp unusedSince, Optional<Floor> floor) {
        Long largest = jdbc.queryForObject(
                "select max(token) from " + name
                        + " where provider = :source and updated_at < :since and lock_key not like :floors",
                Map.<String, Object>of("source", source, "since", unusedSince, "floors", FLOORS),
                Long.class);
        if (largest == null || floor.filter(each -> each.token >= largest).isPresent()) {
            return false;
        }
        String key = FenceTable.floorOf(source);
        jdbc.update(
                advance,
                Map.<String, Object>of("key", key, "token", largest, "provider", source, "floor", key + "{none}"));
        return true;
    }

    private record Floor(long token, Timestamp since) {}
}
