package io.distlock.jdbc;

import static io.distlock.jdbc.JdbcLockContract.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** PostgreSQL's shared statements: what they take, leave and lock, and by which plan. */
class PostgreSqlStatementTests {

    private static Database database;
    private static StatementLog log;

    @BeforeAll
    static void start() {
        database = Database.postgresql();
        log = new StatementLog(database);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    private static NamedParameterJdbcTemplate statements() {
        return new NamedParameterJdbcTemplate(database.direct());
    }

    private static MapSqlParameterSource asks(String row, String owner, Duration ttl) {
        return new MapSqlParameterSource("key", row)
                .addValue("owner", owner)
                .addValue("ttl", TimeUnit.NANOSECONDS.toMicros(ttl.toNanos()))
                .addValue("patience", 0L);
    }

    private static MapSqlParameterSource gives(LockRow row, String key, long keepMicros) {
        return new MapSqlParameterSource("key", key)
                .addValue("owner", row.owner())
                .addValue("token", row.token())
                .addValue("keep", keepMicros);
    }

    private static LockRow row(String key) {
        return database.sql()
                .look(statements(), new MapSqlParameterSource("key", key))
                .orElseThrow();
    }

    /** A row of its own for each test, with what the columns should say. */
    private static String put(String columns) {
        String key = UUID.randomUUID().toString();
        MapSqlParameterSource named = new MapSqlParameterSource("key", key);
        database.sql().insert(statements(), named);
        statements().update("update distributed_lock set " + columns + " where lock_key = :key", named);
        return key;
    }

    @Test
    void aSharedStatementTakesWhatIsFreeForEachAndLeavesTheRest() {
        long hour = TimeUnit.HOURS.toMicros(1);
        String absent = UUID.randomUUID().toString();
        String free = put("token = 5");
        String expired = put("owner = 'former', token = 6, expires_at = 1");
        String marked = put("writer = 'marked-owner', writer_until = " + Long.MAX_VALUE / 2);
        String held = put("owner = 'other', token = 7, expires_at = " + Long.MAX_VALUE / 2);
        String read = put("readers = 'other:8:" + Long.MAX_VALUE / 2 + "', readers_until = " + Long.MAX_VALUE / 2);
        List<MapSqlParameterSource> requests = List.of(
                asks(read, "read-owner", Duration.ofHours(1)),
                asks(absent, "absent-owner", Duration.ofHours(1)),
                asks(held, "held-owner", Duration.ofHours(1)),
                asks(free, "free-owner", Duration.ofHours(2)),
                asks(expired, "expired-owner", Duration.ofHours(3)),
                asks(marked, "marked-owner", Duration.ofHours(4)));
        LockRow heldBefore = row(held);
        LockRow readBefore = row(read);
        Map<String, LockRow> taken = database.sql().takeFree(statements(), requests);
        assertThat(taken).containsOnlyKeys(absent, free, expired, marked);
        Map<String, Long> hours = Map.of(absent, 1L, free, 2L, expired, 3L, marked, 4L);
        taken.forEach((key, row) -> {
            assertThat(row.isHeldBy(requests.stream()
                            .filter(each -> LockSql.key(each).equals(key))
                            .map(each -> String.valueOf(each.getValue("owner")))
                            .findFirst()
                            .orElseThrow()))
                    .isTrue();
            assertThat(row.expiresAt()).isEqualTo(row.now() + hours.get(key) * hour);
            assertThat(row.token()).isEqualTo(row.now());
            assertThat(row.writer()).isEmpty();
            assertThat(row(key).owner()).isEqualTo(row.owner());
            assertThat(row(key).token()).isEqualTo(row.token());
        });
        assertThat(row(held).news()).isEqualTo(heldBefore.news());
        assertThat(row(read).news()).isEqualTo(readBefore.news());
    }

    @Test
    void aSharedStatementReleasesTheseGrantsAndNoOthers() {
        String ends = " expires_at = " + Long.MAX_VALUE / 2;
        String ours = put("owner = 'one', token = 5," + ends);
        String kept = put("owner = 'two', token = 6," + ends);
        String newer = put("owner = 'three', token = 8," + ends);
        String others = put("owner = 'other', token = 9," + ends);
        String over = put("owner = 'five', token = 10, expires_at = 1");
        LockRow former = new LockRow("three", 7, 0, "", 0, "", 0, 0);
        LockRow stranger = new LockRow("four", 9, 0, "", 0, "", 0, 0);
        Set<String> released = database.sql()
                .release(
                        statements(),
                        List.of(
                                gives(row(over), over, 0),
                                gives(former, newer, 0),
                                gives(row(kept), kept, TimeUnit.HOURS.toMicros(1)),
                                gives(stranger, others, 0),
                                gives(row(ours), ours, 0)));
        assertThat(released).containsExactlyInAnyOrder(ours, kept);
        assertThat(row(ours).owner()).isEmpty();
        assertThat(row(ours).expiresAt()).isZero();
        assertThat(row(kept).owner()).isEqualTo("two" + LockRow.KEPT);
        assertThat(row(kept).expiresAt()).isBetween(row(kept).now(), row(kept).now() + TimeUnit.HOURS.toMicros(1));
        assertThat(row(newer).isHeldBy("three")).isTrue();
        assertThat(row(others).isHeldBy("other")).isTrue();
    }

    private static CompletableFuture<Map<String, LockRow>> takeFree(List<MapSqlParameterSource> requests) {
        // Each on a thread of its own: of two that wait for each other, neither may wait for a thread.
        return CompletableFuture.supplyAsync(
                () -> database.sql().takeFree(statements(), requests), task -> new Thread(task).start());
    }

    private static void awaitStatementsThatWait(int count) {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> database.jdbc()
                                .queryForObject(
                                        "select count(*) from pg_stat_activity where wait_event_type = 'Lock'",
                                        Integer.class)
                        == count);
    }

    /** So it cannot stand in the way of a renewal, nor a renewal in its. */
    @Test
    void aSharedStatementWaitsForNoRowThatIsHeld() throws SQLException {
        String held = put("owner = 'other', token = 7, expires_at = " + Long.MAX_VALUE / 2);
        String free = put("token = 5");
        try (Connection renewing = lockRow(held)) {
            Map<String, LockRow> taken = get(
                    takeFree(List.of(asks(held, "one", Duration.ofHours(1)), asks(free, "two", Duration.ofHours(1)))));
            assertThat(taken).containsOnlyKeys(free);
            renewing.rollback();
        }
    }

    /** A statement that the server takes for cheaper planned anew costs it several times as much. */
    @Test
    void aSharedStatementKeepsItsPlan() throws SQLException {
        database.jdbc()
                .execute(
                        "insert into distributed_lock"
                                + " select 'many' || i, '', 4611686018427387904, 0, '', 0, '', 0 from generate_series(1, 20000) i");
        database.jdbc().execute("analyze distributed_lock");
        try (Connection one = database.direct().getConnection()) {
            NamedParameterJdbcTemplate own = new NamedParameterJdbcTemplate(new SingleConnectionDataSource(one, true));
            String key = put("token = 5");
            for (int cycle = 0; cycle < 30; cycle++) {
                LockRow row = database.sql()
                        .takeFree(own, List.of(asks(key, "one", Duration.ofHours(1))))
                        .get(key);
                assertThat(database.sql().release(own, List.of(gives(row, key, 0))))
                        .containsExactly(key);
            }
            List<Long> kept = own.getJdbcOperations()
                    .queryForList(
                            "select generic_plans from pg_prepared_statements where statement like '%unnest%'",
                            Long.class);
            assertThat(kept).hasSize(2).allMatch(plans -> plans > 0);
        } finally {
            database.jdbc().execute("delete from distributed_lock where lock_key like 'many%'");
        }
    }

    private static Connection lockRow(String key) throws SQLException {
        Connection connection = database.direct().getConnection();
        connection.setAutoCommit(false);
        try (PreparedStatement locking =
                connection.prepareStatement("select 1 from distributed_lock where lock_key = ? for update")) {
            locking.setString(1, key);
            locking.execute();
        }
        return connection;
    }

    /** The server finds a deadlock only after a second, and one of the two must begin again. */
    @Test
    void statementsThatShareKeysLockThemInOneOrder() throws SQLException {
        List<String> keys =
                Stream.of(put("token = 5"), put("token = 5")).sorted().toList();
        MapSqlParameterSource first = asks(keys.get(0), "one", Duration.ofHours(1));
        MapSqlParameterSource second = asks(keys.get(1), "one", Duration.ofHours(1));
        CompletableFuture<Map<String, LockRow>> downwards;
        CompletableFuture<Map<String, LockRow>> upwards;
        try (Connection rival = lockRow(keys.get(1))) {
            downwards = takeFree(List.of(second, first));
            awaitStatementsThatWait(1);
            upwards = takeFree(List.of(
                    asks(keys.get(0), "two", Duration.ofHours(1)), asks(keys.get(1), "two", Duration.ofHours(1))));
            awaitStatementsThatWait(2);
            rival.rollback();
        }
        assertThat(get(downwards)).containsOnlyKeys(keys);
        assertThat(get(upwards)).isEmpty();
    }

    /** A plan is kept for as long as its connection, and reads the whole of a table that was small when it was made. */
    @Test
    void statementsFindTheirRowByTheIndexOnceTheTableHasGrown() {
        String table = "growing";
        database.jdbc()
                .execute(script().replace("distributed_lock", table)
                        .replace("fillfactor", "autovacuum_enabled = false, fillfactor"));
        database.jdbc().execute("alter system set session_preload_libraries = 'auto_explain'");
        reload();
        JdbcLockOptions options = Database.PATIENT.withTable(table);
        try (LockRuntime runtime = LockRuntime.start();
                JdbcLockConnections own = database.connections(options);
                JdbcLockProvider locks = new JdbcLockProvider(runtime, own, options)) {
            LockKey key = JdbcLockContract.unique();
            cycle(locks, key);
            database.jdbc().execute("vacuum analyze " + table);
            cycles(locks, key, 20);
            assertThat(plansOf(locks, key)).anyMatch(line -> line.contains("Seq Scan on " + table));
            database.jdbc()
                    .execute("insert into " + table
                            + " select 'row' || i, '', 1, 0, '', 0, '', 0 from generate_series(1, 20000) i");
            cycles(locks, key, 1_000);
            assertThat(plansOf(locks, key))
                    .anyMatch(line -> line.contains("Index Scan"))
                    .noneMatch(line -> line.contains("Seq Scan on " + table));
        }
    }

    private static String script() {
        try {
            return new ClassPathResource(database.sql().script()).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void reload() {
        database.jdbc().execute("select pg_reload_conf()");
    }

    private void cycles(JdbcLockProvider locks, LockKey key, int cycles) {
        for (int cycle = 0; cycle < cycles; cycle++) {
            cycle(locks, key);
        }
    }

    /** As the server notes them in its log while a cycle runs. */
    private List<String> plansOf(JdbcLockProvider locks, LockKey key) {
        database.jdbc().execute("alter system set auto_explain.log_min_duration = 0");
        int before = log.begin();
        cycle(locks, key);
        cycle(locks, key);
        List<String> lines = await().atMost(Duration.ofMinutes(1))
                .until(
                        () -> log.since(before),
                        each -> each.stream()
                                        .filter(line -> line.contains("plan:"))
                                        .count()
                                >= 2);
        database.jdbc().execute("alter system reset auto_explain.log_min_duration");
        reload();
        return lines;
    }

    private static void cycle(JdbcLockProvider locks, LockKey key) {
        LeaseRequest request = new LeaseRequest(
                key,
                LockMode.EXCLUSIVE,
                UUID.randomUUID().toString(),
                LockOptions.defaults(),
                Deadline.in(Duration.ZERO, Ticker.system()));
        Grant grant = get(locks.acquire(request)).orElseThrow();
        assertThat(get(locks.release(grant.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
    }
}
