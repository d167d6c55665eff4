package io.distlock.chaos.store;

import io.distlock.chaos.store.Fault.Ongoing;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.process.SteppableClock;
import io.distlock.test.sql.SqlServer;
import io.distlock.test.sql.SqlServer.Product;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** A database that keeps what it has committed. */
public final class DatabaseChaos implements ChaosStore {

    private static final Duration LEASE = Duration.ofSeconds(2);
    /** A new connection asks several times before its first statement, within the time of one call. */
    private static final Duration DISTANCE = Duration.ofMillis(60);

    private static final Duration LONGEST = Duration.ofMillis(2_500);
    private static final String SESSIONS_OF_POSTGRESQL =
            "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not"
                    + " null";
    private static final String SESSIONS_OF_MARIADB =
            "select concat('kill ', id) from information_schema.processlist where id <> connection_id() and user ="
                    + " 'root'";

    private final SqlServer server;
    private final SteppableClock clock;
    private final Network network;
    private final JdbcTemplate jdbc;

    private DatabaseChaos(SqlServer server, SteppableClock clock, Network network) {
        this.server = server;
        this.clock = clock;
        this.network = network;
        this.jdbc = new JdbcTemplate(source(server));
    }

    /** Starts it, with the locks' table. */
    public static DatabaseChaos start(Product product, int clients) {
        SteppableClock clock = new SteppableClock();
        SqlServer server = SqlServer.start(product, clock);
        DatabaseChaos started = new DatabaseChaos(
                server,
                clock,
                Network.of(
                        clients,
                        List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port())),
                        LEASE,
                        LONGEST,
                        DISTANCE,
                        Network.LATE));
        String script = product == Product.POSTGRESQL ? "schema-postgresql.sql" : "schema-mysql.sql";
        new ResourceDatabasePopulator(new ClassPathResource("io/distlock/jdbc/" + script)).execute(source(server));
        return started;
    }

    @Override
    public String name() {
        return server.product().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String server() {
        String version = String.valueOf(jdbc.queryForObject("select version()", String.class));
        return isPostgreSql() ? version.split(" \\(", -1)[0] : "MariaDB " + version.split("-", -1)[0];
    }

    private boolean isPostgreSql() {
        return server.product() == Product.POSTGRESQL;
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    @Override
    public Duration untilFree() {
        return lease();
    }

    @Override
    public List<String> address(int client) {
        FaultProxy way = network.of(client).get(0);
        return List.of("jdbc", server.product().url(way.port()), server.user());
    }

    @Override
    public List<String> directAddress() {
        return List.of("jdbc", server.url(), server.user());
    }

    @Override
    public List<Fault> faults() {
        List<Fault> faults = new ArrayList<>(network.faults());
        faults.add(Fault.lasting("server-crashed", LONGEST, random -> {
            server.crash();
            return new Ongoing("server", server::restart);
        }));
        faults.add(Fault.atOnce("sessions-ended", this::endSessions));
        faults.add(Fault.lasting("table-locked", LONGEST, random -> lockedTable()));
        if (isPostgreSql()) {
            faults.add(Fault.atOnce("vacuum-full", () -> jdbc.execute("vacuum full distributed_lock")));
        } else {
            faults.add(Fault.lasting("server-frozen", LONGEST, random -> {
                server.process().freeze();
                return new Ongoing("server", () -> server.process().thaw());
            }));
            faults.add(Fault.atOnce("table-rebuilt", () -> jdbc.execute("alter table distributed_lock force")));
        }
        return faults;
    }

    /** As a migration does, or a backup. */
    private Ongoing lockedTable() {
        try {
            Connection session = source(server).getConnection();
            session.setAutoCommit(false);
            try (Statement statement = session.createStatement()) {
                statement.execute(
                        isPostgreSql()
                                ? "lock table distributed_lock in access exclusive mode"
                                : "lock tables distributed_lock write");
            }
            return new Ongoing("table", () -> close(session));
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void close(Connection session) {
        try (session) {
            session.rollback();
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static DriverManagerDataSource source(SqlServer server) {
        return new DriverManagerDataSource(server.url(), server.user(), "");
    }

    private void endSessions() {
        if (isPostgreSql()) {
            jdbc.queryForList(SESSIONS_OF_POSTGRESQL);
        } else {
            jdbc.queryForList(SESSIONS_OF_MARIADB, String.class).forEach(jdbc::execute);
        }
    }

    @Override
    public List<Fault> faultsBeyond() {
        return List.of(
                Fault.stepped("server-clock-stepped", clock, LEASE.multipliedBy(2), LONGEST),
                Fault.atOnce("rows-deleted", () -> jdbc.update("delete from distributed_lock")));
    }

    @Override
    public void heal() {
        network.heal();
        clock.step(Duration.ZERO);
        if (!server.process().isRunning()) {
            server.restart();
        }
    }

    /**
     * Rows stay for an hour because of their tokens; none may have an owner or readers. What a client that was killed at its
     * start has left of its check of the table expires by itself.
     */
    @Override
    public List<String> leftovers() {
        return jdbc.query(
                "select concat(lock_key, ' is held by ', owner, readers) from distributed_lock"
                        + " where lock_key not like '{check}%' and ((owner <> '' and expires_at > 0) or readers <> '')",
                (row, number) -> String.valueOf(row.getString(1)));
    }

    @Override
    public void close() {
        network.close();
        server.close();
        clock.close();
    }
}
