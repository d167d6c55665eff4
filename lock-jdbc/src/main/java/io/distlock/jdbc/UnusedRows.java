package io.distlock.jdbc;

import io.distlock.jdbc.DatabaseCalls.Urgency;
import io.distlock.support.Backoff;
import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;

/**
 * Removes rows of locks that nobody has held for a week, once an hour or so, a few hundred at a time. Before, the floor is raised to
 * the largest of their tokens; a new row begins above it, so no token comes again even if the clock has stepped
 * back. Thread-safe.
 */
final class UnusedRows implements AutoCloseable {

    static final Duration RETENTION = Duration.ofDays(7);

    private static final Logger log = LoggerFactory.getLogger(UnusedRows.class);
    private static final Backoff BETWEEN_RUNS = new Backoff(Duration.ofHours(1), Duration.ofMinutes(90));

    private static final Duration WHILE_THERE_ARE_MORE = Duration.ofSeconds(1);

    private final DatabaseCalls calls;
    private final LockScheduler scheduler;
    private boolean closed;
    private LockScheduler.@Nullable Scheduled next;

    UnusedRows(DatabaseCalls calls, LockScheduler scheduler) {
        this.calls = calls;
        this.scheduler = scheduler;
    }

    void start() {
        start(BETWEEN_RUNS.pause(1));
    }

    private synchronized void start(Duration pause) {
        if (!closed) {
            next = scheduler.schedule(this::run, pause);
        }
    }

    private void run() {
        calls.call(Urgency.TAKE, (sql, database) -> remove(sql, database, RETENTION))
                .whenComplete((removed, failure) -> {
                    if (failure != null) {
                        log.debug("Unused rows of locks could not be removed", failure);
                    }
                    start(failure == null && removed > 0 ? WHILE_THERE_ARE_MORE : BETWEEN_RUNS.pause(1));
                });
    }

    private record Unused(String key, long token) {}

    /** How many rows it has removed. */
    static int remove(LockSql sql, NamedParameterJdbcOperations database, Duration retention) {
        MapSqlParameterSource old =
                new MapSqlParameterSource("retention", TimeUnit.NANOSECONDS.toMicros(retention.toNanos()));
        List<Unused> rows =
                database.query(sql.unused, old, (row, number) -> new Unused(row.getString(1), row.getLong(2)));
        if (rows.isEmpty()) {
            return 0;
        }
        long largest = rows.stream().mapToLong(Unused::token).max().orElseThrow();
        MapSqlParameterSource floor = new MapSqlParameterSource("key", LockSql.FLOOR).addValue("token", largest);
        if (database.update(sql.raiseFloor, floor) == 0) {
            sql.insert(database, floor);
            database.update(sql.raiseFloor, floor);
        }
        return database.update(
                sql.remove,
                old.addValue("keys", rows.stream().map(Unused::key).toList()).addValue("token", largest));
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.cancel();
        }
    }
}
