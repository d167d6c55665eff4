package io.distlock.jdbc;

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
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

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
    String foldingColumn() {
        return "";
    }

    @Override
    long inAnotherZone() {
        return clockAfter("set time zone 'Asia/Kolkata'");
    }

    @Test
    void aCycleIsTwoStatements() {
        assertThat(get(provider.connected())).isTrue();
        LockKey key = LockKey.of("cycle");
        cycle(key);
        database.jdbc().execute("alter system set log_statement = 'all'");
        database.jdbc().execute("select pg_reload_conf()");
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            database.jdbc().execute("select 'counted'");
            return database.server().process().log().contains("select 'counted'");
        });
        for (int cycle = 0; cycle < 20; cycle++) {
            cycle(key);
        }
        database.jdbc().execute("select 'over'");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> database.server().process().log().contains("select 'over'"));
        // Statements of several lines are continued on the next ones.
        long statements = database.server()
                .process()
                .log()
                .lines()
                .filter(line -> line.matches(".*LOG: +(execute|statement).*: +\\S.*")
                        && !line.contains("select '")
                        && !line.contains(": SET ")
                        && !line.contains("pg_reload_conf"))
                .count();
        assertThat(statements).isEqualTo(2 * 20);
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
                taking.setString(1, Database.PATIENT.row(key));
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
