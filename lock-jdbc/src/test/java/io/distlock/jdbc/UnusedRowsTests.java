package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;

/** When rows are removed: each run is begun by the test. */
class UnusedRowsTests {

    private record Run(Runnable action, Duration pause) {}

    private final Database database = Database.h2();
    private final LockRuntime runtime = LockRuntime.start();
    private final DatabaseCalls calls = new DatabaseCalls(runtime, database.direct(), Database.PATIENT);
    private final BlockingQueue<Run> runs = new LinkedBlockingQueue<>();
    private final AtomicInteger cancelled = new AtomicInteger();
    private final UnusedRows unused = new UnusedRows(calls, new LockScheduler() {

        @Override
        public Scheduled schedule(Runnable action, Duration delay) {
            runs.add(new Run(action, delay));
            return cancelled::incrementAndGet;
        }

        @Override
        public void close() {}
    });

    @AfterEach
    void close() {
        calls.close();
        runtime.close();
        database.close();
    }

    private Run next() throws InterruptedException {
        Run next = runs.poll(1, TimeUnit.MINUTES);
        assertThat(next).as("the next run").isNotNull();
        return next;
    }

    private void assertUsual(Duration pause) {
        assertThat(pause).isBetween(Duration.ofMinutes(30), Duration.ofMinutes(90));
    }

    @Test
    void theNextRunFollowsAtOnceWhileThereWereRowsToRemove() throws InterruptedException {
        database.jdbc().update("insert into distributed_lock values ('unused', '', 1, 0, '', 0, '', 0)");
        unused.start();
        Run first = next();
        assertUsual(first.pause());
        first.action().run();
        Run second = next();
        assertThat(second.pause()).isEqualTo(Duration.ofSeconds(1));
        second.action().run();
        assertUsual(next().pause());
    }

    private void unusedSince(String row, Duration time) {
        database.jdbc()
                .update(
                        "insert into distributed_lock values (?, '', ?, 1, '', 0, '', 0)",
                        row,
                        now() - TimeUnit.NANOSECONDS.toMicros(time.toNanos()));
    }

    private long now() {
        Long now = database.jdbc().queryForObject(database.sql().clock, Long.class);
        return now == null ? 0 : now;
    }

    private List<String> rows() {
        return database.jdbc().queryForList("select lock_key from distributed_lock", String.class);
    }

    @Test
    void aRowThatWasUsedWithinTheWeekStays() throws InterruptedException {
        unusedSince("of last month", Duration.ofDays(20));
        unusedSince("of last week", Duration.ofDays(8));
        unusedSince("of this week", Duration.ofDays(6));
        unused.start();
        next().action().run();
        next();
        assertThat(rows()).containsExactlyInAnyOrder("of this week", LockSql.FLOOR);
    }

    /** The process may die in between, and a token must not come again. */
    @Test
    void noRowGoesBeforeTheFloorIsAboveIt() {
        unusedSince("unused", Duration.ofDays(20));
        Long token = database.jdbc().queryForObject("select max(token) from distributed_lock", Long.class);
        NamedParameterJdbcTemplate dying = new NamedParameterJdbcTemplate(database.direct()) {

            @Override
            public int update(String statement, SqlParameterSource parameters) {
                if (statement.equals(database.sql().remove)) {
                    throw new IllegalStateException("killed");
                }
                return super.update(statement, parameters);
            }
        };
        assertThatThrownBy(() -> UnusedRows.remove(database.sql(), dying, UnusedRows.RETENTION))
                .hasMessage("killed");
        assertThat(database.jdbc()
                        .queryForObject(
                                "select token from distributed_lock where lock_key = ?", Long.class, LockSql.FLOOR))
                .isEqualTo(token);
    }

    @Test
    void aRunThatFailsIsNotTheLast() throws InterruptedException {
        database.jdbc().execute("drop table distributed_lock");
        unused.start();
        next().action().run();
        assertUsual(next().pause());
    }

    @Test
    void closingEndsTheRuns() throws InterruptedException {
        unused.start();
        next();
        unused.close();
        assertThat(cancelled).hasValue(1);
        unused.start();
        assertThat(runs).isEmpty();
    }

    @Test
    void aRunThatIsUnderWayAtTheEndIsTheLast() throws InterruptedException {
        unused.start();
        Run first = next();
        unused.close();
        first.action().run();
        // Waits for it.
        calls.close();
        assertThat(runs).isEmpty();
    }
}
