package io.distlock.jdbc;

import io.distlock.LockOptions;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How locks are kept in a database. Immutable; an invalid value is rejected with an {@link IllegalArgumentException} that
 * names the value, the rule and the fix.
 *
 * @param table the locks' table, optionally with its schema: letters, digits and underscores, which need no quotes in any
 *     database
 * @param keyPrefix locks with different prefixes differ, and may share the table; 1 to 128 characters
 * @param callTimeout the longest wait for the answer to one call, in which a statement is repeated that lost to another. 100 ms
 *     to 60 s
 * @param connectTimeout how long the first calls of a process wait for its first connection. 100 ms to 60 s
 * @param connections how many connections the locks use at most, besides the one that listens. 1 to 50
 */
public record JdbcLockOptions(
        String table, String keyPrefix, Duration callTimeout, Duration connectTimeout, int connections) {

    /** The table that the scripts create. */
    public static final String DEFAULT_TABLE = "distributed_lock";

    private static final Pattern TABLE = Pattern.compile("([A-Za-z_][A-Za-z0-9_]*\\.)?[A-Za-z_][A-Za-z0-9_]*");
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final int MOST_CONNECTIONS = 50;
    private static final int MAX_PREFIX = 128;

    public JdbcLockOptions {
        if (!TABLE.matcher(table).matches()) {
            throw new IllegalArgumentException("\"" + table + "\" is not a table name: use letters, digits and"
                    + " underscores, with one dot between schema and table");
        }
        if (keyPrefix.isBlank() || keyPrefix.length() > MAX_PREFIX) {
            throw new IllegalArgumentException("key prefix \"" + keyPrefix + "\" has " + keyPrefix.length()
                    + " characters: choose a short word, such as \"lock\", of at most " + MAX_PREFIX);
        }
        LockOptions.requireBetween("call timeout", callTimeout, SHORTEST, LONGEST);
        LockOptions.requireBetween("connect timeout", connectTimeout, SHORTEST, LONGEST);
        if (connections < 1 || connections > MOST_CONNECTIONS) {
            throw new IllegalArgumentException(
                    "connections " + connections + " is out of range: choose 1 to " + MOST_CONNECTIONS);
        }
    }

    /** Table {@value #DEFAULT_TABLE}, prefix {@code lock}, calls 2 s, first connection 5 s, two connections. */
    public static JdbcLockOptions defaults() {
        return new JdbcLockOptions(DEFAULT_TABLE, "lock", Duration.ofSeconds(2), Duration.ofSeconds(5), 2);
    }

    public JdbcLockOptions withTable(String table) {
        return new JdbcLockOptions(table, keyPrefix, callTimeout, connectTimeout, connections);
    }

    public JdbcLockOptions withKeyPrefix(String keyPrefix) {
        return new JdbcLockOptions(table, keyPrefix, callTimeout, connectTimeout, connections);
    }

    public JdbcLockOptions withCallTimeout(Duration callTimeout) {
        return new JdbcLockOptions(table, keyPrefix, callTimeout, connectTimeout, connections);
    }

    public JdbcLockOptions withConnectTimeout(Duration connectTimeout) {
        return new JdbcLockOptions(table, keyPrefix, callTimeout, connectTimeout, connections);
    }

    public JdbcLockOptions withConnections(int connections) {
        return new JdbcLockOptions(table, keyPrefix, callTimeout, connectTimeout, connections);
    }
}
