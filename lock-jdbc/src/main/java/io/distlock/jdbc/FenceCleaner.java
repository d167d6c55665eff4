package io.distlock.jdbc;

import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Removes the rows of locks that have not been used for a long time, so that the fence's table does not grow forever.
 *
 * <p>A removed row must keep refusing the holders that it would have refused. Before rows go, the <em>floor</em> of their
 * provider therefore rises to the largest token among them, and a key without a row is only accepted above it. This
 * refuses no live holder, since a provider's tokens grow with time over all its keys (etcd's are revisions of the whole
 * cluster, those of Redis and Redlock the server's time in microseconds at least): a token below that of a row unused for
 * the retention is older than the retention, and a lock is not held for longer than its maximum hold time.
 *
 * <p>A floor counts once it is {@link #SETTLING} old: by then, no statement is under way that began before it and could
 * insert a row without having seen it.
 */
public final class FenceCleaner {

    /** How long a floor stands before rows below it are removed. */
    static final Duration SETTLING = Duration.ofMinutes(30);

    private static final String FLOORS = "{floor}%";

    private final NamedParameterJdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final String name;
    private final String advance;
    private final Duration retention;

    /**
     * @param retention how long after its last use a row is kept; at least the longest time that a lock may be held
     */
    public FenceCleaner(DataSource dataSource, FenceTable table, Duration retention) {
        this.jdbc = new NamedParameterJdbcTemplate(dataSource);
        this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        this.name = table.name();
        this.advance = FenceDatabase.of(dataSource).advance().formatted(name);
        this.retention = retention;
    }

    /**
     * Removes the rows that may be removed now, and prepares the next run.
     *
     * @return how many rows were removed
     */
    public int clean() {
        Integer removed = transactions.execute(status -> clean(SETTLING));
        return removed == null ? 0 : removed;
    }

    private int clean(Duration settling) {
        Timestamp now = jdbc.getJdbcTemplate().queryForObject("select current_timestamp", Timestamp.class);
        if (now == null) {
            return 0;
        }
        Timestamp unusedSince = before(now, retention);
        int removed = 0;
        for (String source : unused(unusedSince)) {
            Floor floor = floor(source);
            if (floor != null && !floor.since.after(before(now, settling))) {
                removed += remove(source, floor.token, unusedSince);
            }
            raiseFloor(source, unusedSince, floor);
        }
        return removed;
    }

    private static Timestamp before(Timestamp time, Duration earlier) {
        return Timestamp.from(time.toInstant().minus(earlier));
    }

    private List<String> unused(Timestamp since) {
        return jdbc.queryForList(
                "select distinct provider from " + name + " where updated_at < :since and lock_key not like :floors",
                Map.<String, Object>of("since", since, "floors", FLOORS),
                String.class);
    }

    private @Nullable Floor floor(String source) {
        List<Floor> found = jdbc.query(
                "select token, updated_at from " + name + " where lock_key = :key",
                Map.of("key", FenceTable.floorOf(source)),
                (row, number) -> new Floor(row.getLong(1), row.getTimestamp(2)));
        return found.isEmpty() ? null : found.get(0);
    }

    private int remove(String source, long floor, Timestamp unusedSince) {
        return jdbc.update(
                "delete from " + name + " where provider = :source and token <= :floor and updated_at < :since"
                        + " and lock_key not like :floors",
                Map.<String, Object>of("source", source, "floor", floor, "since", unusedSince, "floors", FLOORS));
    }

    private void raiseFloor(String source, Timestamp unusedSince, @Nullable Floor floor) {
        Long largest = jdbc.queryForObject(
                "select max(token) from " + name
                        + " where provider = :source and updated_at < :since and lock_key not like :floors",
                Map.<String, Object>of("source", source, "since", unusedSince, "floors", FLOORS),
                Long.class);
        if (largest != null && (floor == null || largest > floor.token)) {
            String key = FenceTable.floorOf(source);
            jdbc.update(
                    advance,
                    Map.<String, Object>of("key", key, "token", largest, "provider", source, "floor", key + "{none}"));
        }
    }

    private record Floor(long token, Timestamp since) {}
}
