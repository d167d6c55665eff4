package io.distlock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distlock.test.sql.SqlServer;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A real database with a fence's table. */
final class Database implements AutoCloseable {

    private final @Nullable SqlServer server;
    private final HikariDataSource dataSource;
    private final String waiting;

    private Database(@Nullable SqlServer server, String url, String user, String waiting) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword("");
        config.setMaximumPoolSize(20);
        this.server = server;
        this.dataSource = new HikariDataSource(config);
        this.waiting = waiting;
        new ResourceDatabasePopulator(
                        new ClassPathResource(FenceDatabase.of(dataSource).script()))
                .execute(dataSource);
    }

    static Database h2() {
        return new Database(
                null,
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000",
                "sa",
                // It repeats a statement that waits for another's insert, and names a blocker only for updates.
                "select count(*) from information_schema.sessions where executing_statement like 'merge%'");
    }

    static Database postgresql() {
        SqlServer server = SqlServer.start(SqlServer.Product.POSTGRESQL);
        return new Database(
                server,
                server.url(),
                server.user(),
                "select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
    }

    static Database mariadb() {
        SqlServer server = SqlServer.start(SqlServer.Product.MARIADB);
        return new Database(
                server,
                server.url(),
                server.user(),
                "select count(*) from information_schema.innodb_trx where trx_state = 'LOCK WAIT'");
    }

    DataSource dataSource() {
        return dataSource;
    }

    JdbcTemplate jdbc() {
        return new JdbcTemplate(dataSource);
    }

    TransactionTemplate transaction() {
        return new TransactionTemplate(new JdbcTransactionManager(dataSource));
    }

    /** How many transactions wait for a row that another has locked. */
    int waiting() {
        Integer count = jdbc().queryForObject(waiting, Integer.class);
        return count == null ? 0 : count;
    }

    @Override
    public void close() {
        dataSource.close();
        if (server != null) {
            server.close();
        }
    }
}
