package io.distlock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;

/**
 * The locks' own few connections. In the application's pool, callers that hold every connection and wait for a lock would keep
 * out the release that they wait for. One connection more than {@link JdbcLockOptions#connections()}, which listens for
 * releases where the database announces them. Opened when they are first needed; to be closed after the provider.
 */
public final class JdbcLockConnections extends HikariDataSource {

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(250);

    private JdbcLockConnections(HikariConfig config) {
        super(config);
    }

    /**
     * Connections to the database that this configuration names, with its credentials and the driver's settings.
     *
     * @param like is not changed; how many connections it has, and how they are kept, is not taken over
     */
    public static JdbcLockConnections like(HikariConfig like, JdbcLockOptions options) {
        HikariConfig own = new HikariConfig();
        like.copyStateTo(own);
        own.setPoolName("distlock");
        own.setMinimumIdle(1);
        own.setMaximumPoolSize(options.connections() + 1);
        own.setAutoCommit(true);
        own.setReadOnly(false);
        own.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        long wait = Math.max(options.callTimeout().toMillis(), SHORTEST_WAIT.toMillis());
        own.setConnectionTimeout(wait);
        own.setValidationTimeout(wait);
        // The database may be started later.
        own.setInitializationFailTimeout(-1);
        own.setRegisterMbeans(false);
        own.setMetricRegistry(null);
        own.setMetricsTrackerFactory(null);
        own.setHealthCheckRegistry(null);
        own.setLeakDetectionThreshold(0);
        return new JdbcLockConnections(own);
    }
}
