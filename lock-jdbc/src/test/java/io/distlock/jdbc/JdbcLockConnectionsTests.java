package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class JdbcLockConnectionsTests {

    /** An application's, with settings that its locks must not have. */
    private static HikariConfig applications() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:connections;DB_CLOSE_DELAY=-1");
        config.setUsername("sa");
        config.setPassword("");
        config.setPoolName("application");
        config.setMaximumPoolSize(30);
        config.setMinimumIdle(30);
        config.setAutoCommit(false);
        config.setReadOnly(true);
        config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        config.setConnectionTimeout(60_000);
        config.setLeakDetectionThreshold(60_000);
        config.setRegisterMbeans(true);
        config.setInitializationFailTimeout(1_000);
        config.setConnectionInitSql("set schema information_schema");
        config.addDataSourceProperty("LOCK_TIMEOUT", "7000");
        return config;
    }

    @Test
    void theyAreKeptAsLocksNeedThem() {
        JdbcLockOptions options = JdbcLockOptions.defaults().withConnections(4).withCallTimeout(Duration.ofSeconds(3));
        try (JdbcLockConnections own = JdbcLockConnections.like(applications(), options)) {
            assertThat(own.getPoolName()).isEqualTo("distlock");
            // One more than calls need, which listens.
            assertThat(own.getMaximumPoolSize()).isEqualTo(5);
            assertThat(own.getMinimumIdle()).isEqualTo(1);
            assertThat(own.getConnectionTimeout()).isEqualTo(3_000);
            assertThat(own.getValidationTimeout()).isEqualTo(3_000);
            assertThat(own.getInitializationFailTimeout()).isNegative();
            assertThat(own.getLeakDetectionThreshold()).isZero();
            assertThat(own.isRegisterMbeans()).isFalse();
            // H2 does not say so of a connection.
            assertThat(own.isReadOnly()).isFalse();
        }
    }

    @Test
    void eachStatementIsATransaction() throws SQLException {
        try (JdbcLockConnections own = JdbcLockConnections.like(applications(), JdbcLockOptions.defaults());
                Connection connection = own.getConnection()) {
            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    /** Without them it might be another database, or another schema in it. */
    @Test
    void theyGoWhereTheApplicationsGo() throws SQLException {
        HikariConfig like = applications();
        try (JdbcLockConnections own = JdbcLockConnections.like(like, JdbcLockOptions.defaults());
                Connection connection = own.getConnection()) {
            assertThat(own.getDataSourceProperties()).containsEntry("LOCK_TIMEOUT", "7000");
            assertThat(connection.getSchema()).isEqualToIgnoringCase("information_schema");
        }
        assertThat(like.getPoolName()).isEqualTo("application");
        assertThat(like.getMaximumPoolSize()).isEqualTo(30);
    }

    /** Hikari's shortest. */
    @Test
    void aCallMayBeShorterThanAnyWaitForAConnection() {
        JdbcLockOptions hasty = JdbcLockOptions.defaults().withCallTimeout(Duration.ofMillis(100));
        try (JdbcLockConnections own = JdbcLockConnections.like(applications(), hasty)) {
            assertThat(own.getConnectionTimeout()).isEqualTo(250);
            assertThat(own.getValidationTimeout()).isEqualTo(250);
        }
    }
}
