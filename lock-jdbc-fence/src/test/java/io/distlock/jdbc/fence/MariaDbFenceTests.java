package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

class MariaDbFenceTests extends JdbcFenceContract {

    @Override
    Database start() {
        return Database.mariadb();
    }

    @Test
    void timesAreThoseOfUtcWhateverTheSessionsTimeZone() {
        LockKey key = unique();
        in(() -> {
            database.jdbc().execute("set time_zone = '-12:00'");
            fence.advance(exclusive(key, 1));
        });
        database.closeConnections();
        assertThat(database.jdbc()
                        .queryForObject(
                                "select timestampdiff(minute, updated_at, utc_timestamp) from distributed_lock_fence"
                                        + " where lock_key = ?",
                                Integer.class,
                                TABLE.key(key)))
                .isBetween(0, 5);
    }

    /** Or it would settle too early, or too late. */
    @Test
    void theTimeOfAFloorIsThatOfUtcWhateverTheSessionsTimeZone() {
        for (String zone : List.of("-12:00", "+12:00")) {
            FenceTable table = new FenceTable(FenceTable.DEFAULT_NAME, zone);
            new JdbcFence(inZone(zone), table, "redis").verify();
            assertThat(database.jdbc()
                            .queryForObject(
                                    "select timestampdiff(minute, updated_at, utc_timestamp) from"
                                            + " distributed_lock_fence where lock_key = ?",
                                    Integer.class,
                                    FenceTable.floorOf(table.source("redis"))))
                    .isBetween(0, 5);
        }
        database.closeConnections();
    }

    @Test
    void aRowThatWasJustUsedIsNotUnusedWhateverTheSessionsTimeZone() {
        advance(unique(), 1);
        for (String zone : List.of("-12:00", "+12:00")) {
            new FenceCleaner(inZone(zone), TABLE, Duration.ofHours(6)).clean();
        }
        database.closeConnections();
        assertThat(floor(TABLE)).isZero();
    }

    private DataSource inZone(String zone) {
        return new DelegatingDataSource(database.dataSource()) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                new JdbcTemplate(new SingleConnectionDataSource(connection, true))
                        .execute("set time_zone = '" + zone + "'");
                return connection;
            }
        };
    }

    private long floor(FenceTable table) {
        Long token = database.jdbc()
                .queryForObject(
                        "select token from distributed_lock_fence where lock_key = ?",
                        Long.class,
                        FenceTable.floorOf(table.source("redis")));
        return token == null ? -1 : token;
    }

    /** It is all that is known of the rows that went. */
    @Test
    void theFloorIsAsItWasAfterTheNextStart() {
        FenceTable table = new FenceTable(FenceTable.DEFAULT_NAME, "restarted");
        new JdbcFence(database.dataSource(), table, "redis").verify();
        assertThat(database.jdbc()
                        .update(
                                "update distributed_lock_fence set token = 7, updated_at = '2020-02-02'"
                                        + " where lock_key = ?",
                                FenceTable.floorOf(table.source("redis"))))
                .isOne();
        new JdbcFence(database.dataSource(), table, "redis").verify();
        assertThat(database.jdbc()
                        .queryForList(
                                "select year(updated_at) from distributed_lock_fence where token = 7 and lock_key = ?",
                                Integer.class,
                                FenceTable.floorOf(table.source("redis"))))
                .containsExactly(2020);
    }

    @Test
    void theFloorStaysThoughATransactionAroundTheVerificationIsRolledBack() {
        FenceTable table = new FenceTable(FenceTable.DEFAULT_NAME, "around");
        database.transaction().executeWithoutResult(status -> {
            new JdbcFence(database.dataSource(), table, "redis").verify();
            status.setRollbackOnly();
        });
        assertThat(floor(table)).isZero();
    }

    /** The type TIMESTAMP ends then. */
    @Test
    void timesAfterJanuary2038CanBeStored() {
        LockKey key = unique();
        advance(key, 1);
        database.jdbc()
                .update(
                        "update distributed_lock_fence set updated_at = '2038-01-20 00:00:00' where lock_key = ?",
                        TABLE.key(key));
        advance(key, 2);
        assertThat(token(key)).isEqualTo(2);
    }
}
