package io.distlock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
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
        try {
            return new JdbcLockConnections(own);
        } catch (RuntimeException failure) {
            throw lacksDriver(failure) ? noDriver(String.valueOf(own.getJdbcUrl()), failure) : failure;
        }
    }

    private static boolean lacksDriver(Throwable failure) {
        return failure.getCause() instanceof SQLException said && "08001".equals(said.getSQLState());
    }

    /** The rest of the address may have a password in it. */
    private static JdbcLockSetupException noDriver(String url, RuntimeException failure) {
        String kind = url.substring(0, Math.max(0, url.indexOf(':', "jdbc:".length())));
        return new JdbcLockSetupException(
                "there is no driver for addresses that begin with '" + kind + ":'",
                "Add the database's driver to the class path, such as org.postgresql:postgresql, or correct the address.",
                failure);
    }
}
