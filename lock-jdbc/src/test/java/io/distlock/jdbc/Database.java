package io.distlock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import io.distlock.test.sql.SqlServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** A real database with the locks' table. */
public final class Database implements AutoCloseable {

    /** A call outlasts any stall of a busy machine. */
    static final JdbcLockOptions PATIENT = JdbcLockOptions.defaults()
            .withCallTimeout(java.time.Duration.ofSeconds(10))
            .withConnectTimeout(java.time.Duration.ofSeconds(20));

    static final JdbcKeys KEYS = new JdbcKeys(PATIENT.keyPrefix());

    private final @Nullable SqlServer server;
    private final String url;
    private final String user;
    private final Runnable stop;
    private final List<JdbcLockConnections> opened = new ArrayList<>();

    private Database(@Nullable SqlServer server, String url, String user, Runnable stop) {
        this.server = server;
        this.url = url;
        this.stop = stop;
        this.user = user;
        LockSql sql =
                DatabaseCalls.sql(product(), JdbcLockOptions.DEFAULT_TABLE).orElseThrow();
        new ResourceDatabasePopulator(new ClassPathResource(sql.script())).execute(direct());
    }

    public static Database h2() {
        return new Database(null, "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", () -> {});
    }

    /** One that other processes reach, too. */
    public static Database h2Server() throws SQLException {
        Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        String url = "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        return new Database(null, url, "sa", server::stop);
    }

    public static Database postgresql() {
        return of(SqlServer.start(SqlServer.Product.POSTGRESQL));
    }

    public static Database mariadb() {
        return of(SqlServer.start(SqlServer.Product.MARIADB));
    }

    private static Database of(SqlServer server) {
        return new Database(server, server.url(), server.user(), server::close);
    }

    SqlServer server() {
        if (server == null) {
            throw new IllegalStateException("embedded");
        }
        return server;
    }

    private String product() {
        return url.contains("postgresql") ? "PostgreSQL" : url.contains("mariadb") ? "MariaDB" : "H2";
    }

    public String url() {
        return url;
    }

    public String user() {
        return user;
    }

    LockSql sql() {
        return DatabaseCalls.sql(product(), JdbcLockOptions.DEFAULT_TABLE).orElseThrow();
    }

    /** Opens a connection for each statement. */
    DriverManagerDataSource direct() {
        return new DriverManagerDataSource(url, user, "");
    }

    JdbcTemplate jdbc() {
        return new JdbcTemplate(direct());
    }

    JdbcLockConnections connections(JdbcLockOptions options) {
        return connections(url, options);
    }

    JdbcLockConnections connections(String address, JdbcLockOptions options) {
        return connections(address, options, null);
    }

    /** Each begins with this statement. */
    JdbcLockConnections connectionsAfter(String statement) {
        return connections(url, PATIENT, statement);
    }

    private JdbcLockConnections connections(String address, JdbcLockOptions options, @Nullable String statement) {
        HikariConfig config = new HikariConfig();
        config.setConnectionInitSql(statement);
        config.setJdbcUrl(address);
        config.setUsername(user);
        config.setPassword("");
        JdbcLockConnections connections = JdbcLockConnections.like(config, options);
        opened.add(connections);
        return connections;
    }

    @Override
    public void close() {
        opened.forEach(JdbcLockConnections::close);
        stop.run();
    }
}
