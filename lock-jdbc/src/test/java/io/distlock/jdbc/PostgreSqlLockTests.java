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
import java.lang.reflect.Proxy;
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
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

class PostgreSqlLockTests extends JdbcLockContract {

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
        int before = log.begin();
        for (int cycle = 0; cycle < 20; cycle++) {
            cycle(key);
        }
        long statements = log.statementsSince(before).size();
        assertThat(statements).isEqualTo(2 * 20);
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
        int began = log.begin();
        // Until all have asked, so that seconds pass with looks alone; then three looks for all of them.
        await().atMost(Duration.ofMinutes(2)).until(() -> endsWithTwoLooks(log.statementsSince(began)));
        int parked = log.end();
        await().atMost(Duration.ofMinutes(2)).until(() -> looksOnly(log.statementsSince(parked)) >= 3);
        assertThat(log.statementsSince(parked)).allMatch(PostgreSqlLockTests::isLook);
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
        int before = log.begin();
        CountDownLatch renewed = new CountDownLatch(locks);
        provider.renew(leases, (lease, renewal) -> {
            if (renewal == Renewal.RENEWED) {
                renewed.countDown();
            }
        });
        await().atMost(Duration.ofMinutes(2)).until(() -> renewed.getCount() == 0);
        assertThat(log.statementsSince(before).stream().filter(line -> !isLook(line)))
                .hasSizeBetween(1, 20);
    }

    private static long listeners() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("distlock-jdbc-listener"))
                .count();
    }

    /** Who waits first need not wait for that as well. */
    @Test
    void itListensBeforeSomebodyWaits() {
        get(provider.connected());
        await().until(() -> listeners() > 0);
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
        Grant grant = get(provider.acquire(request(key))).orElseThrow();
        assertThat(get(provider.release(grant.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
    }
}
