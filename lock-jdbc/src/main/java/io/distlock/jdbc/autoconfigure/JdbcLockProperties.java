package io.distlock.jdbc.autoconfigure;

import io.distlock.jdbc.JdbcLockOptions;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Locks in a SQL database.
 *
 * @param enabled Whether to offer locks in the database. Default: true if distributed-lock.provider is jdbc or unset.
 * @param table The locks' table, optionally with its schema.
 * @param connections How many connections of their own the locks use at most, besides one that listens on PostgreSQL.
 * @param callTimeout How long to wait for one call to the database, 100ms to 60s.
 * @param connectTimeout How long the first calls of a process wait for its first connection, 100ms to 60s.
 * @param initializeSchema When the table is created at start-up.
 */
@ConfigurationProperties("distributed-lock.jdbc")
record JdbcLockProperties(
        @Nullable Boolean enabled,
        @DefaultValue(JdbcLockOptions.DEFAULT_TABLE) String table,
        @DefaultValue("2") int connections,
        @DefaultValue("2s") Duration callTimeout,
        @DefaultValue("5s") Duration connectTimeout,
        @DefaultValue("embedded") DatabaseInitializationMode initializeSchema) {

    private static final String PREFIX = "distributed-lock.jdbc.";

    JdbcLockProperties {
        // The options hold the rules; each violation should name its property.
        JdbcLockOptions usual = JdbcLockOptions.defaults();
        check(PREFIX + "table", table, usual::withTable);
        check(PREFIX + "connections", connections, usual::withConnections);
        check(PREFIX + "call-timeout", callTimeout, usual::withCallTimeout);
        check(PREFIX + "connect-timeout", connectTimeout, usual::withConnectTimeout);
    }

    JdbcLockOptions options(String keyPrefix) {
        check("distributed-lock.key-prefix", keyPrefix, JdbcLockOptions.defaults()::withKeyPrefix);
        return new JdbcLockOptions(table, keyPrefix, callTimeout, connectTimeout, connections);
    }

    private static <T> JdbcLockOptions check(String property, T value, Function<T, JdbcLockOptions> rule) {
        try {
            return rule.apply(value);
        } catch (IllegalArgumentException broken) {
            throw new InvalidConfigurationPropertyValueException(property, value, String.valueOf(broken.getMessage()));
        }
    }
}
