package io.distlock.benchmarks.jdbc;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.NeighbourProcess.Neighbour;
import io.distlock.benchmarks.store.ProcessorTime;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.Store;
import io.distlock.jdbc.JdbcLockConnections;
import io.distlock.jdbc.JdbcLockOptions;
import io.distlock.jdbc.JdbcLockProvider;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.sql.SqlServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** One PostgreSQL on a free port. It writes to the disk without waiting for it, so that statements cost, and not the disk. */
public final class JdbcStore implements Store {

    /** As ShedLock's documentation has it. */
    private static final String SHEDLOCK = "create table shedlock (name varchar(64) not null primary key,"
            + " lock_until timestamp not null, locked_at timestamp not null, locked_by varchar(255) not null)";

    /**
     * Rows of other locks, as in a table that is in use: on a new one, the bare driver's statements keep the plan that suits an empty
     * table, and read all of it once it has grown.
     */
    private static final String USED = "insert into distributed_lock"
            + " select 'other' || i, '', i, 0, '', 0, '', 0 from generate_series(1, 10000) i";

    private final SqlServer server;
    private final JdbcTemplate database;

    private JdbcStore(SqlServer server) {
        this.server = server;
        this.database = new JdbcTemplate(new DriverManagerDataSource(server.url(), server.user(), ""));
    }

    /** Starts the server, and creates everybody's tables. */
    public static JdbcStore start() {
        JdbcStore store = new JdbcStore(SqlServer.start(SqlServer.Product.POSTGRESQL));
        Stream.<Resource>of(
                        new ClassPathResource("io/distlock/jdbc/schema-postgresql.sql"),
                        new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql"),
                        new ByteArrayResource(SHEDLOCK.getBytes(StandardCharsets.UTF_8)))
                .forEach(script -> new ResourceDatabasePopulator(script).execute(store.dataSource()));
        store.database.execute(USED);
        store.database.execute("vacuum analyze");
        return store;
    }

    private DataSource dataSource() {
        return Objects.requireNonNull(database.getDataSource());
    }

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public String server() {
        return "PostgreSQL " + database.queryForObject("show server_version", String.class) + " without fsync";
    }

    @Override
    public int servers() {
        return 1;
    }

    @Override
    public Targets targets() {
        return new Targets(
                // And one in 500 uses of a connection, by which its statements are planned afresh.
                Target.atMost(2.01),
                Target.atMost(1.2),
                Target.atLeast(0.8),
                Optional.empty(),
                Optional.empty(),
                new ServerTargets(
                        Optional.of(Target.countAtMost(2)),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(Target.atMost(0.2)),
                        Optional.empty(),
                        Optional.empty()));
    }

    @Override
    public Optional<PeerTargets> peerTargets() {
        return Optional.of(new PeerTargets(LockRegistryContestant.NAME, Target.atMost(0.7), Target.atLeast(1.5)));
    }

    @Override
    public Optional<Target> handOverMicros() {
        return Optional.of(Target.atMost(5_000));
    }

    @Override
    public Application application() {
        return JdbcApplication.at(server.url(), server.user(), () -> {});
    }

    @Override
    public Application applicationThrough(List<FaultProxy> proxies) {
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        proxies.add(proxy);
        String url = server.url().replace(":" + server.port(), ":" + proxy.port());
        return JdbcApplication.at(url, server.user(), proxy::close);
    }

    @Override
    public Contestant driver() {
        HikariDataSource connections = pool();
        connections.setMaximumPoolSize(JdbcLockOptions.defaults().connections());
        return new BareJdbc(
                connections, recorder -> JdbcApplication.on(recorder, JdbcLockOptions.defaults(), () -> {}));
    }

    @Override
    public List<Contestant> peers() {
        return List.of(new LockRegistryContestant(pool()), new ShedLockContestant(pool()));
    }

    @Override
    public List<Rivals> rivals() {
        return List.of(new Rivals(LockRegistryContestant.NAME, () -> new LockRegistryContestant(pool()).rival()));
    }

    /** The application's, as Boot makes it: ten connections. */
    private HikariDataSource pool() {
        return new HikariDataSource(JdbcApplication.config(server.url(), server.user()));
    }

    /** Statements are not counted all the time: that would cost more than they do. */
    @Override
    public ServerWork work() {
        return new ServerWork(Double.NaN, ProcessorTime.nanos(processes()));
    }

    @Override
    public List<Long> processes() {
        return List.of(server.process().pid());
    }

    @Override
    public CommandCount countCommands() {
        return new StatementCount(server, database);
    }

    @Override
    public RoundTrip roundTrip() {
        return new JdbcRoundTrip(pool());
    }

    @Override
    public List<String> neighbour() {
        return List.of(JdbcNeighbour.class.getName(), server.url(), server.user());
    }

    @Override
    public void close() {
        server.close();
    }

    /** Applications on a database, as Boot would wire them. */
    static final class JdbcApplication {

        private JdbcApplication() {}

        static Application at(String url, String user, Runnable afterwards) {
            JdbcLockOptions options = JdbcLockOptions.defaults();
            JdbcLockConnections connections = JdbcLockConnections.like(config(url, user), options);
            return on(connections, options, () -> {
                connections.close();
                afterwards.run();
            });
        }

        static Application on(DataSource connections, JdbcLockOptions options, Runnable afterwards) {
            return Application.start(runtime -> new JdbcLockProvider(runtime, connections, options), afterwards);
        }

        static HikariConfig config(String url, String user) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setUsername(user);
            return config;
        }
    }

    /** By the server's log, which tells each statement meanwhile, those that begin and end transactions included. */
    static final class StatementCount implements CommandCount {

        private static final Duration PATIENCE = Duration.ofMinutes(1);

        private final SqlServer server;
        private final JdbcTemplate database;
        private final int from;

        StatementCount(SqlServer server, JdbcTemplate database) {
            this.server = server;
            this.database = database;
            log("all");
            this.from = untilLogged();
        }

        private void log(String which) {
            database.execute("alter system set log_statement = '" + which + "'");
            database.execute("select pg_reload_conf()");
        }

        /** The length of the log once a statement of our own is in it. */
        private int untilLogged() {
            String mark = "select '" + UUID.randomUUID() + "'";
            await().atMost(PATIENCE).until(() -> {
                database.execute(mark);
                return server.process().log().contains(mark);
            });
            return server.process().log().length();
        }

        @Override
        public int soFar() {
            untilLogged();
            return Math.toIntExact(server.process()
                    .log()
                    .substring(from)
                    .lines()
                    .filter(line -> line.matches(".*LOG: +(execute|statement).*: +\\S.*"))
                    // Our own, and the driver's when a connection is opened.
                    .filter(line -> !line.contains("select '") && !line.contains(": SET "))
                    .count());
        }

        @Override
        public void close() {
            log("none");
        }
    }

    /** The shortest query. */
    static final class JdbcRoundTrip implements RoundTrip {

        private final HikariDataSource connections;
        private final JdbcTemplate database;

        JdbcRoundTrip(HikariDataSource connections) {
            this.connections = connections;
            this.database = new JdbcTemplate(connections);
        }

        @Override
        public void ask() {
            database.execute("select 1");
        }

        @Override
        public void close() {
            connections.close();
        }
    }

    /** A neighbour's JVM: {@code JdbcNeighbour url user}. */
    static final class JdbcNeighbour {

        private JdbcNeighbour() {}

        public static void main(String[] arguments) {
            try (Application application = JdbcApplication.at(arguments[0], arguments[1], () -> {})) {
                new Neighbour(application.locks(), System.in, System.out).serve();
            }
        }
    }
}
