package io.distlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * The databases that can hold a fence, and how each advances a row in one statement: it inserts the row, or raises its token
 * unless that is larger already or from another provider. The statement locks the row until the transaction ends, and compares
 * with the row's newest version whatever the isolation level (or fails with the database's serialization error).
 *
 * <p>A key without a row may have lost it to the cleaner, so its token must be above the provider's floor.
 */
enum FenceDatabase {
    POSTGRESQL("postgresql", "PostgreSQL") {
        @Override
        String advance() {
            return """
                    insert into %1$s as fence (lock_key, token, provider, updated_at)
                    select cast(:key as varchar), cast(:token as bigint), cast(:provider as varchar), current_timestamp
                    where not exists (select 1 from %1$s bound where bound.lock_key = :floor and bound.token >= :token)
                    on conflict (lock_key) do update set token = excluded.token, updated_at = excluded.updated_at
                    where fence.token <= excluded.token and fence.provider = excluded.provider""";
        }

        @Override
        String notUsedFor(long seconds) {
            return " where updated_at < current_timestamp - interval '" + seconds + " seconds'";
        }
    },

    H2("h2", "H2") {
        @Override
        String advance() {
            return """
                    merge into %1$s fence using (
                        select cast(:key as varchar) as lock_key, cast(:token as bigint) as token,
                               cast(:provider as varchar) as provider
                        where not exists
                            (select 1 from %1$s bound where bound.lock_key = :floor and bound.token >= :token)) mine
                    on (fence.lock_key = mine.lock_key)
                    when matched and fence.token <= mine.token and fence.provider = mine.provider then
                        update set token = mine.token, updated_at = current_timestamp
                    when not matched then
                        insert (lock_key, token, provider, updated_at)
                        values (mine.lock_key, mine.token, mine.provider, current_timestamp)""";
        }

        @Override
        String notUsedFor(long seconds) {
            return " where updated_at < timestampadd(second, -" + seconds + ", current_timestamp)";
        }
    },

    /**
     * Its count of rows is 2 for a row that was raised; 1 for a new one, but also, depending on a setting of the
     * connection, for one that was left as it was. So 1 is looked into: two more statements when a key is new.
     */
    MYSQL("mysql", "MySQL|MariaDB") {
        @Override
        String advance() {
            return """
                    insert into %1$s (lock_key, token, provider, updated_at)
                    values (:key, :token, :provider, current_timestamp(6))
                    on duplicate key update
                        updated_at = if(provider = values(provider) and token <= values(token),
                                        values(updated_at), updated_at),
                        token = if(provider = values(provider), greatest(token, values(token)), token)""";
        }

        /** In UTC: local times jump twice a year. */
        @Override
        String notUsedFor(long seconds) {
            return " where unix_timestamp(updated_at) < unix_timestamp() - " + seconds;
        }

        /** A SERIALIZABLE transaction that looks for a row that is missing would lock out all new rows at its place. */
        @Override
        Optional<String> prepareFloor() {
            return Optional.of("""
                    insert into %1$s (lock_key, token, provider, updated_at)
                    values (:floor, 0, :provider, current_timestamp(6))
                    on duplicate key update token = token""");
        }

        @Override
        boolean accepts(int count) {
            return count == 2;
        }

        @Override
        boolean refuses(int count) {
            return false;
        }
    };

    private final String platform;
    private final String products;

    FenceDatabase(String platform, String products) {
        this.platform = platform;
        this.products = products;
    }

    /**
     * That of a data source.
     *
     * @throws IllegalStateException if it is another one, or does not answer
     */
    static FenceDatabase of(DataSource dataSource) {
        String product;
        try {
            product = JdbcUtils.extractDatabaseMetaData(dataSource, meta -> meta.getDatabaseProductName());
        } catch (MetaDataAccessException failure) {
            throw new IllegalStateException(
                    "the database of the fence does not answer: check spring.datasource.*", failure);
        }
        return of(product, "jdbc");
    }

    /**
     * The database of this name.
     *
     * @param module as in {@code distributed-lock.<module>.fencing.enabled}
     */
    static FenceDatabase of(String product, String module) {
        return Arrays.stream(values())
                .filter(each -> product.matches(each.products))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("fencing does not support the database '" + product
                        + "': use PostgreSQL, MySQL, MariaDB or H2, or switch distributed-lock." + module
                        + ".fencing.enabled off"));
    }

    /** The statement, for {@code String.format} with the table's name; parameters key, token, provider, floor. */
    abstract String advance();

    /** The condition, from {@code where} on, that a row was last used this long ago, by the database's clock. */
    String notUsedFor(Duration time) {
        return notUsedFor(time.plusMillis(999).toSeconds());
    }

    abstract String notUsedFor(long seconds);

    /** A statement that makes sure that the floor's row exists, if the database needs that; as {@link #advance()}. */
    Optional<String> prepareFloor() {
        return Optional.empty();
    }

    /** Whether this count of changed rows proves that the token was accepted. */
    boolean accepts(int count) {
        return count == 1;
    }

    /** Whether this count proves that it was refused. */
    boolean refuses(int count) {
        return count == 0;
    }

    /** The class-path location of the script that creates the table. */
    String script() {
        return "io/distlock/jdbc/fence-" + platform + ".sql";
    }

    static boolean isAutoCommit(Connection connection) {
        return ask(connection, Connection::getAutoCommit);
    }

    static boolean isReadOnly(Connection connection) {
        return ask(connection, Connection::isReadOnly);
    }

    private static boolean ask(Connection connection, Question question) {
        try {
            return question.of(connection);
        } catch (SQLException failure) {
            throw new IllegalStateException("cannot determine whether the connection is in a transaction", failure);
        }
    }

    @FunctionalInterface
    private interface Question {
        boolean of(Connection connection) throws SQLException;
    }
}
