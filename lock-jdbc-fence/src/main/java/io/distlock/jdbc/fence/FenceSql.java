package io.distlock.jdbc.fence;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * All SQL of a fence, in the dialect of each database that can hold one; the dialects differ in {@link #advance}, {@link
 * #prepareFloor} and a row's age. The statements' parameters are key, token, provider and floor, and floors for the cleaner's.
 *
 * <p>Each database advances a row in one statement: it inserts the row, or raises its token unless that is larger already or
 * from another provider. The statement locks the row until the transaction ends, and compares with the row's newest version
 * whatever the isolation level (or fails with the database's serialization error).
 *
 * <p>A key without a row may have lost it to the cleaner, so its token must be above the provider's floor.
 */
enum FenceSql {
    POSTGRESQL("postgresql", "PostgreSQL") {
        @Override
        String advance(String table) {
            return """
                    insert into %1$s as fence (lock_key, token, provider, updated_at)
                    select cast(:key as varchar), cast(:token as bigint), cast(:provider as varchar), current_timestamp
                    where not exists (select 1 from %1$s bound where bound.lock_key = :floor and bound.token >= :token)
                    on conflict (lock_key) do update set token = excluded.token, updated_at = excluded.updated_at
                    where fence.token <= excluded.token and fence.provider = excluded.provider""".formatted(table);
        }

        @Override
        boolean commitsImplicitly() {
            return false;
        }

        @Override
        boolean keepsRowsAfterSavepoint() {
            return false;
        }

        @Override
        Optional<String> longestWait() {
            return Optional.of("select cast(setting as bigint) from pg_settings where name = 'lock_timeout'");
        }

        @Override
        String notUsedFor(long seconds) {
            return " where updated_at < current_timestamp - interval '" + seconds + " seconds'";
        }
    },

    H2("h2", "H2") {
        @Override
        boolean keepsRowsAfterSavepoint() {
            return false;
        }

        @Override
        String advance(String table) {
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
                        values (mine.lock_key, mine.token, mine.provider, current_timestamp)""".formatted(table);
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
        String advance(String table) {
            return """
                    insert into %1$s (lock_key, token, provider, updated_at)
                    values (:key, :token, :provider, utc_timestamp(6))
                    on duplicate key update
                        updated_at = if(provider = values(provider) and token <= values(token),
                                        values(updated_at), updated_at),
                        token = if(provider = values(provider), greatest(token, values(token)), token)""".formatted(table);
        }

        /** In UTC: local times jump twice a year. */
        @Override
        String notUsedFor(long seconds) {
            return " where updated_at < utc_timestamp(6) - interval " + seconds + " second";
        }

        /**
         * A transaction that looks for a row that is missing, and locks, would lock out all new rows at its place. This does
         * not wait for transactions that have looked at the floor.
         */
        @Override
        Optional<String> prepareFloor(String table) {
            return Optional.of("""
                    insert ignore into %1$s (lock_key, token, provider, updated_at)
                    values (:floor, 0, :provider, utc_timestamp(6))""".formatted(table));
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

    static final long MOST_MILLIS_IN_DOUBT = 5000;

    private final String platform;
    private final String products;

    FenceSql(String platform, String products) {
        this.platform = platform;
        this.products = products;
    }

    /**
     * That of a data source.
     *
     * @throws IllegalStateException if it is another one, or does not answer
     */
    static FenceSql of(DataSource dataSource) {
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
    static FenceSql of(String product, String module) {
        return Arrays.stream(values())
                .filter(each -> product.matches(each.products))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("fencing does not support the database '" + product
                        + "': use PostgreSQL, MySQL, MariaDB or H2, or switch distributed-lock." + module
                        + ".fencing.enabled off"));
    }

    /** Inserts the row of a key, or raises its token; {@link #accepts} and {@link #refuses} judge the count of changed rows. */
    abstract String advance(String table);

    /** Whether statements such as {@code TRUNCATE} commit a transaction that goes on, and so free its rows. */
    boolean commitsImplicitly() {
        return true;
    }

    /** Whether a row that was locked after a savepoint may stay locked after a rollback to it. */
    boolean keepsRowsAfterSavepoint() {
        return true;
    }

    /**
     * Reads for how many milliseconds the transaction waits for a row, 0 meaning without end. By {@link #limitWait}, a
     * transaction fails that would wait for long for a row which the one around it may have kept or lost. Only
     * PostgreSQL rolls back after any failure, to a savepoint if there is one. Elsewhere, the row is most likely kept.
     */
    Optional<String> longestWait() {
        return Optional.empty();
    }

    /** For the rest of the transaction, or until the next rollback to a savepoint. */
    static String limitWait(long millis) {
        return "set local lock_timeout = " + millis;
    }

    /** Whether this wait is too long for a row that the transaction around may have kept. */
    static boolean isLong(long millis) {
        return millis == 0 || millis > MOST_MILLIS_IN_DOUBT;
    }

    /** Whether this count of changed rows proves that the token was accepted. */
    boolean accepts(int count) {
        return count == 1;
    }

    /** Whether this count proves that it was refused. */
    boolean refuses(int count) {
        return count == 0;
    }

    /** Makes sure that the floor's row exists, if the database needs that. */
    Optional<String> prepareFloor(String table) {
        return Optional.empty();
    }

    /** The row of a key, and its provider's floor. */
    static String look(String table) {
        return "select lock_key, token, provider from " + table + " where lock_key in (:key, :floor)";
    }

    /** The newest version of a key's row, which stays locked until the transaction ends. */
    static String lookAndLock(String table) {
        return "select lock_key, token, provider from " + table + " where lock_key = :key for update";
    }

    /** The newest version of the floor, which nobody can raise until the transaction ends. */
    static String lookAtFloorAndShare(String table) {
        return "select lock_key, token, provider from " + table + " where lock_key = :floor lock in share mode";
    }

    /** Removes the row of a key again, if nobody has raised it. */
    static String delete(String table) {
        return "delete from " + table + " where lock_key = :key and token = :token and provider = :provider";
    }

    /** The cleaner's: the providers that have unused rows. */
    String unusedProviders(String table, Duration unused) {
        return "select distinct provider from " + table + notUsedFor(unused) + " and lock_key not like :floors";
    }

    /** The cleaner's: the keys of some unused rows of a provider that are not above the floor. */
    String unusedKeys(String table, Duration unused, int limit) {
        return "select lock_key from " + table + notUsedFor(unused) + " and provider = :provider and token <= :floor"
                + " and lock_key not like :floors limit " + limit;
    }

    /** The cleaner's: removes one of {@link #unusedKeys}, unless it has been used meanwhile. */
    String deleteUnused(String table, Duration unused) {
        return "delete from " + table + notUsedFor(unused)
                + " and provider = :provider and token <= :floor and lock_key = :key";
    }

    /** The cleaner's: the largest token of a provider's unused rows, if it is above the floor. */
    String largestUnused(String table, Duration unused) {
        return "select token from " + table + notUsedFor(unused) + " and provider = :provider and token > :floor"
                + " and lock_key not like :floors order by token desc limit 1";
    }

    /** The cleaner's: the token of a key's row. */
    static String token(String table) {
        return "select token from " + table + " where lock_key = :key";
    }

    /** The cleaner's: the same, if the row has not changed for this long. */
    String unchangedToken(String table, Duration time) {
        return "select token from " + table + notUsedFor(time) + " and lock_key = :key";
    }

    private String notUsedFor(Duration time) {
        return notUsedFor(time.plusMillis(999).toSeconds());
    }

    /** The condition, from {@code where} on, that a row was last used this long ago, by the database's clock. */
    abstract String notUsedFor(long seconds);

    /** The class-path location of the script that creates the table. */
    String script() {
        return "io/distlock/jdbc/fence/schema-" + platform + ".sql";
    }
}
