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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;

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
