package io.distlock.jdbc.fence;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distlock.test.sql.SqlServer;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryOptions;
import io.r2dbc.spi.Option;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A real database with a fence's table. */
public final class Database implements AutoCloseable {

    private static final String H2_OPTIONS = ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000";

    private final @Nullable SqlServer server;
    private final HikariDataSource dataSource;
    private final String url;
    private final String user;
    private final String shortLockTimeout;
    private final String waiting;

    private Database(@Nullable SqlServer server, String url, String user, String shortLockTimeout, String waiting) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword("");
        config.setMinimumIdle(1);
        config.setMaximumPoolSize(80);
        this.server = server;
        this.url = url;
        this.user = user;
        this.dataSource = new HikariDataSource(config);
        this.shortLockTimeout = shortLockTimeout;
        this.waiting = waiting;
        new ResourceDatabasePopulator(
                        new ClassPathResource(FenceSql.of(dataSource).script()))
                .execute(dataSource);
    }

    public static Database h2() {
        return new Database(
                null,
                "jdbc:h2:mem:" + UUID.randomUUID() + H2_OPTIONS,
                "sa",
                "set lock_timeout 100",
                // It repeats a statement that waits for another's insert, and names a blocker only for updates.
                "select count(*) from information_schema.sessions where executing_statement like 'merge%'");
    }

    public static Database postgresql() {
        SqlServer server = SqlServer.start(SqlServer.Product.POSTGRESQL);
        return new Database(
                server,
                server.url(),
                server.user(),
                "set local lock_timeout = '100ms'",
                "select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
    }

    public static Database mariadb() {
        SqlServer server = SqlServer.start(SqlServer.Product.MARIADB);
        return new Database(
                server,
                server.url(),
                server.user(),
                "set innodb_lock_wait_timeout = 1",
                // The table of transactions shows what was the case up to 100 ms ago.
                "select variable_value from information_schema.global_status"
                        + " where variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'");
    }

    public String url() {
        return url;
    }

    public String user() {
        return user;
    }

    public DataSource dataSource() {
        return dataSource;
    }

    /** Opens a new connection to the same database each time, as R2DBC does without a pool. */
    public ConnectionFactory connections() {
        if (server != null) {
            return ConnectionFactories.get(url.replaceFirst("jdbc:(\\w+)://", "r2dbc:$1://" + user + "@"));
        }
        String name = url.substring("jdbc:h2:mem:".length(), url.indexOf(';'));
        return new CountedConnections(ConnectionFactories.get(ConnectionFactoryOptions.builder()
                .option(ConnectionFactoryOptions.DRIVER, "h2")
                .option(ConnectionFactoryOptions.PROTOCOL, "mem")
                .option(ConnectionFactoryOptions.DATABASE, name)
                .option(ConnectionFactoryOptions.USER, user)
                .option(ConnectionFactoryOptions.PASSWORD, "")
                .option(Option.valueOf("options"), H2_OPTIONS.substring(1))
                .build()));
    }

    public JdbcTemplate jdbc() {
        return new JdbcTemplate(dataSource);
    }

    public TransactionTemplate transaction() {
        return new TransactionTemplate(new JdbcTransactionManager(dataSource));
    }

    /** Makes the current transaction wait for a row for as short as the database allows. */
    public void shortenLockTimeout() {
        jdbc().execute(shortLockTimeout());
    }

    /** Lets no later transaction have a connection that an earlier one has changed. */
    public void closeConnections() {
        dataSource.getHikariPoolMXBean().softEvictConnections();
    }

    /** The statement that does so. */
    String shortLockTimeout() {
        return shortLockTimeout;
    }

    /** How many statements a fence adds to a transaction. */
    int fencingStatements() {
        return FenceSql.of(dataSource) == FenceSql.POSTGRESQL ? 1 : 2;
    }

    /** Whether a row that was locked after a savepoint stays locked after a rollback to it; on MariaDB. */
    boolean keepsRowsAfterSavepoint() {
        return server != null && server.product() == SqlServer.Product.MARIADB;
    }

    /** Statements that end the transaction which they are in; on H2 and MariaDB. */
    public List<String> implicitCommits() {
        return server == null
                ? List.of(
                        "truncate table staging",
                        "create table if not exists other (id int)",
                        "alter table staging add if not exists more int",
                        "analyze",
                        "drop table if exists gone")
                : List.of(
                        "truncate table staging",
                        "create table if not exists other (id int)",
                        "alter table staging add column if not exists more int",
                        "analyze table staging",
                        "begin");
    }

    /** How many transactions wait for a row that another has locked. */
    public int waiting() {
        try {
            Integer count = jdbc().queryForObject(waiting, Integer.class);
            return count == null ? 0 : count;
        } catch (UncategorizedSQLException failure) {
            // H2's view of its sessions meets a null where a transaction ends at that moment.
            if (server == null && String.valueOf(failure.getMessage()).contains("NullPointerException")) {
                return waiting();
            }
            throw failure;
        }
    }

    /** How many statements the database has been sent so far. From the first call on, they are counted. */
    public long statements() {
        if (server == null) {
            // It forgets others, and counts the end of a transaction only sometimes.
            jdbc().execute("set query_statistics true");
            return number("select coalesce(sum(execution_count), 0) from information_schema.query_statistics"
                    + " where lower(sql_statement) like '%into distributed_lock_fence%'");
        }
        if (server.product() == SqlServer.Product.MARIADB) {
            return number(
                    "select variable_value from information_schema.global_status where variable_name = 'QUESTIONS'");
        }
        jdbc().execute("alter system set log_statement = 'all'");
        jdbc().execute("select pg_reload_conf()");
        String marker = UUID.randomUUID().toString();
        await().until(() -> {
            jdbc().queryForObject("select '" + marker + "'", String.class);
            return server.process().log().contains(marker);
        });
        return server.process()
                .log()
                .lines()
                // The pool looks whether a connection still works by a statement that is empty.
                .filter(line -> line.matches(".*LOG: +(execute|statement).*: +\\S.*") && !line.contains(marker))
                .count();
    }

    private long number(String sql) {
        Long number = jdbc().queryForObject(sql, Long.class);
        return number == null ? 0 : number;
    }

    @Override
    public void close() {
        dataSource.close();
        if (server != null) {
            server.close();
        }
    }
}
