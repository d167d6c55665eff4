package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.support.TryLockStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

class PostgreSqlLockTests extends JdbcLockContract {

    private static Database database;

    @BeforeAll
    static void start() {
        database = Database.postgresql();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Override
    Database database() {
        return database;
    }

    @Override
    String inKolkata() {
        return "set time zone 'Asia/Kolkata'";
    }

    @Override
    long clockInBerlin(Instant time) {
        String clock = database.sql().clock.replace("statement_timestamp()", "timestamptz '" + time + "'");
        return clockAfter("set time zone 'Europe/Berlin'", clock);
    }

    @Override
    String foldingColumn() {
        return "";
    }

    @Test
    void aCycleIsTwoStatements() {
        assertThat(get(provider.connected())).isTrue();
        LockKey key = LockKey.of("cycle");
        cycle(key);
        int before = startCounting();
        for (int cycle = 0; cycle < 20; cycle++) {
            cycle(key);
        }
        long statements = statementsSince(before).size();
        assertThat(statements).isEqualTo(2 * 20);
    }

    /** The server's log tells each statement from now on; where in it. */
    private static int startCounting() {
        database.jdbc().execute("alter system set log_statement = 'all'");
        database.jdbc().execute("select pg_reload_conf()");
        String mark = "select '" + UUID.randomUUID() + "'";
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            database.jdbc().execute(mark);
            return log().contains(mark);
        });
        return log().length();
    }

    private static String log() {
        return database.server().process().log();
    }

    /** Statements of the locks; those of several lines are continued on the next ones. */
    private static List<String> statementsSince(int before) {
        String mark = "select '" + UUID.randomUUID() + "'";
        database.jdbc().execute(mark);
        await().atMost(Duration.ofMinutes(1)).until(() -> log().contains(mark));
        return log().substring(before)
                .lines()
                .filter(line -> line.matches(".*LOG: +(execute|statement).*: +\\S.*")
                        && !line.contains("select '")
                        && !line.contains(": SET ")
                        && !line.contains("pg_reload_conf"))
                .toList();
    }

    private static boolean isLook(String statement) {
        return statement.contains("select owner") || statement.contains("select 1");
    }

    /** Messages tell them; one look every few seconds for all of them covers a message that is lost. */
    @Test
    void twoHundredWaitersSendNoStatementsOfTheirOwn() {
        List<LockKey> keys =
                Stream.generate(JdbcLockContract::unique).limit(200).toList();
        keys.forEach(key ->
                assertThat(get(provider.acquire(lasting(key, Duration.ZERO)))).isPresent());
        List<CompletableFuture<Optional<Grant>>> waiters = keys.stream()
                .map(key -> provider.acquire(lasting(key, Duration.ofHours(1))))
                .toList();
        int began = startCounting();
        // Until all have asked, so that seconds pass with looks alone; then three looks for all of them.
        await().atMost(Duration.ofMinutes(2)).until(() -> endsWithTwoLooks(statementsSince(began)));
        int parked = log().length();
        await().atMost(Duration.ofMinutes(2)).until(() -> looksOnly(statementsSince(parked)) >= 3);
        assertThat(statementsSince(parked)).allMatch(PostgreSqlLockTests::isLook);
        assertThat(waiters).noneMatch(CompletableFuture::isDone);
        waiters.forEach(waiter -> waiter.cancel(true));
    }

    private static boolean endsWithTwoLooks(List<String> statements) {
        int all = statements.size();
        return all >= 2 && looksOnly(statements.subList(all - 2, all)) == 2;
    }

    private static long looksOnly(List<String> statements) {
        return statements.stream().filter(PostgreSqlLockTests::isLook).count();
    }

    @Test
    void tenThousandLocksAreRenewedByTwentyStatementsAtMost() {
        int locks = 10_000;
        List<LeaseRequest> requests = Stream.generate(() -> lasting(unique(), Duration.ZERO))
                .limit(locks)
                .toList();
        List<Lease> leases = new ArrayList<>();
        for (LeaseRequest request : requests) {
            leases.add(get(provider.acquire(request)).orElseThrow().lease());
        }
        int before = startCounting();
        CountDownLatch renewed = new CountDownLatch(locks);
        provider.renew(leases, (lease, renewal) -> {
            if (renewal == Renewal.RENEWED) {
                renewed.countDown();
            }
        });
        await().atMost(Duration.ofMinutes(2)).until(() -> renewed.getCount() == 0);
        assertThat(statementsSince(before).stream().filter(line -> !isLook(line)))
                .hasSizeBetween(1, 20);
    }

    private static long listeners() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("distlock-jdbc-listener"))
                .count();
    }

    /** An application that fails to start closes what has just begun to connect. */
    @Test
    void whoIsClosedWhileItConnectsLeavesNoThread() {
        get(provider.connected());
        long before = listeners();
        for (int time = 0; time < 20; time++) {
            try (LockRuntime runtime = LockRuntime.start();
                    JdbcLockConnections own = database.connections(Database.PATIENT)) {
                new JdbcLockProvider(runtime, own, Database.PATIENT).close();
            }
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> listeners() <= before);
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
            LockKey key = unique();
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
        int before = startCounting();
        cycle(locks, key);
        cycle(locks, key);
        List<String> log = await().atMost(Duration.ofMinutes(1))
                .until(
                        () -> log().substring(before).lines().toList(),
                        lines -> lines.stream()
                                        .filter(line -> line.contains("plan:"))
                                        .count()
                                >= 2);
        database.jdbc().execute("alter system reset auto_explain.log_min_duration");
        reload();
        return log;
    }

    private LeaseRequest lasting(LockKey key, Duration waitTime) {
        LockOptions options =
                LockOptions.defaults().withLeaseTime(Duration.ofMinutes(30)).withWaitTime(waitTime);
        return new LeaseRequest(
                key, LockMode.EXCLUSIVE, UUID.randomUUID().toString(), options, Deadline.in(waitTime, Ticker.system()));
    }

    /** The schema may be in one application's search path, and in the settings of another. */
    @Test
    void applicationsThatNameTheSchemaAndOthersHearEachOther() {
        assertThat(new PostgreSqlLocks("public.distributed_lock").channel())
                .isEqualTo(new PostgreSqlLocks("Distributed_Lock").channel());
    }

    /** A release is announced only if somebody waits, and this one came just before the reader said so. */
    @Test
    void aReaderLooksOnceMoreAfterItHasAskedForAnAnnouncement() {
        LockKey key = unique();
        Lease held = get(provider.acquire(request(key))).orElseThrow().lease();
        DataSource freed = beforeEach("set waited = true", () -> get(provider.release(held, Duration.ZERO)));
        LockOptions options = LockOptions.defaults();
        LockRuntime runtime = LockRuntime.start();
        try (DatabaseCalls calls = new DatabaseCalls(runtime, freed, Database.PATIENT)) {
            LeaseRequest reading = new LeaseRequest(
                    key, LockMode.SHARED, "reader", options, Deadline.in(Duration.ofMinutes(1), runtime.ticker()));
            assertThat(get(new JdbcLockStore(calls, Database.KEYS, runtime.ticker()).attempt(reading, false)))
                    .isInstanceOf(TryLockStore.Result.Granted.class);
        } finally {
            runtime.close();
        }
    }

    /** Something happens before each statement with this text. */
    private static DataSource beforeEach(String text, Runnable event) {
        return new DelegatingDataSource(database.direct()) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("prepareStatement") && ((String) arguments[0]).contains(text)) {
                                event.run();
                            }
                            return method.invoke(connection, arguments);
                        });
            }
        };
    }

    /** The statement reads the row as it was before it waited. */
    @Test
    void aHolderWhoIsOvertakenWhileItsNextRequestWaitsIsRefused() throws SQLException {
        LockKey key = LockKey.of(UUID.randomUUID().toString());
        LeaseRequest request = request(key);
        assertThat(get(provider.acquire(request))).isPresent();
        CompletableFuture<Optional<Grant>> again;
        try (Connection rival = database.direct().getConnection()) {
            rival.setAutoCommit(false);
            try (PreparedStatement taking = rival.prepareStatement(
                    "update distributed_lock set owner = 'rival', token = token + 1 where lock_key = ?")) {
                taking.setString(1, Database.KEYS.row(key));
                assertThat(taking.executeUpdate()).isEqualTo(1);
            }
            again = provider.acquire(request);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> database.jdbc()
                                    .queryForObject("select count(*) from pg_locks where not granted", Integer.class)
                            > 0);
            rival.commit();
        }
        assertThat(get(again)).isEmpty();
    }

    private LeaseRequest request(LockKey key) {
        return new LeaseRequest(
                key,
                LockMode.EXCLUSIVE,
                UUID.randomUUID().toString(),
                LockOptions.defaults(),
                Deadline.in(Duration.ZERO, Ticker.system()));
    }

    private void cycle(LockKey key) {
        cycle(provider, key);
    }

    private void cycle(JdbcLockProvider locks, LockKey key) {
        Grant grant = get(locks.acquire(request(key))).orElseThrow();
        assertThat(get(locks.release(grant.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
    }
}
