package io.distlock.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.jdbc.Database;
import io.distlock.test.process.OwnClassPath;
import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.TestFolder;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Two instances of an application, each in a process of its own, with nothing in common but their database. */
class TwoProcessesTests {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final List<ServerProcess> processes = new ArrayList<>();
    private TestFolder folder;

    @BeforeEach
    void prepare() {
        folder = TestFolder.create("two-processes");
    }

    @AfterEach
    void end() {
        folder.close();
    }

    @Test
    void shareTheLocksOfPostgreSql() {
        try (Database database = Database.postgresql()) {
            assertThatTwoProcessesShareLocks(database);
        }
    }

    @Test
    void shareTheLocksOfAnH2Server() throws SQLException {
        try (Database database = Database.h2Server()) {
            assertThatTwoProcessesShareLocks(database);
        }
    }

    private void assertThatTwoProcessesShareLocks(Database database) {
        JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(database.url(), database.user(), ""));
        TurnsProcess.createTables(jdbc);
        ServerProcess first = start("first", database);
        ServerProcess second = start("second", database);
        try {
            assertThatTheyTakeTurns(jdbc);
            assertThatWorkIsDoneOnce(jdbc);
            assertThatTheSurvivorGetsTheLock(jdbc, first, second);
        } finally {
            // Before the database, which waits for its clients to go.
            processes.forEach(ServerProcess::close);
        }
    }

    private ServerProcess start(String name, Database database) {
        ServerProcess process = ServerProcess.start(
                name,
                folder.path(),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        OwnClassPath.absolute(),
                        TurnsProcess.class.getName(),
                        "--instance=" + name,
                        "--spring.datasource.url=" + database.url(),
                        "--spring.datasource.username=" + database.user(),
                        "--distributed-lock.jdbc.connect-timeout=60s",
                        "--distributed-lock.jdbc.call-timeout=10s"));
        processes.add(process);
        return process;
    }

    /** Nobody counted from a number that another had just read, nobody's turn overlaps another's, and tokens grow with time. */
    private void assertThatTheyTakeTurns(JdbcTemplate jdbc) {
        awaitRows(jdbc, "turn", 2 * TurnsProcess.TURNS);
        assertThat(jdbc.queryForObject("select amount from counter", Integer.class))
                .isEqualTo(2 * TurnsProcess.TURNS);
        List<Turn> turns = jdbc.query(
                "select token, began, ended from turn order by token",
                (row, number) -> new Turn(row.getLong(1), row.getLong(2), row.getLong(3)));
        for (int next = 1; next < turns.size(); next++) {
            assertThat(turns.get(next).began())
                    .isGreaterThan(turns.get(next - 1).ended());
            assertThat(turns.get(next).token())
                    .isGreaterThan(turns.get(next - 1).token());
        }
    }

    /** Nanoseconds of the machine's monotonic clock, which all its processes read. */
    private record Turn(long token, long began, long ended) {}

    private void assertThatWorkIsDoneOnce(JdbcTemplate jdbc) {
        awaitRows(jdbc, "ready_to_hold", 2);
        assertThat(jdbc.queryForList("select job from done order by job", Integer.class))
                .hasSize(TurnsProcess.JOBS)
                .doesNotHaveDuplicates();
    }

    /** Both want the last lock. The one that has it dies, and the other one has it after the lease. */
    private void assertThatTheSurvivorGetsTheLock(JdbcTemplate jdbc, ServerProcess first, ServerProcess second) {
        awaitRows(jdbc, "held", 1);
        String holder = jdbc.queryForObject("select instance from held", String.class);
        (String.valueOf(holder).equals("first") ? first : second).kill();
        awaitRows(jdbc, "held", 2);
        assertThat(jdbc.queryForList("select instance from held", String.class))
                .containsExactlyInAnyOrder("first", "second");
    }

    private void awaitRows(JdbcTemplate jdbc, String table, int rows) {
        await().atMost(PATIENCE).until(() -> {
            assertThat(processes.stream().filter(ServerProcess::isRunning))
                    .as(
                            "running processes; the log of the first: %s",
                            processes.get(0).log())
                    .isNotEmpty();
            Integer found = jdbc.queryForObject("select count(*) from " + table, Integer.class);
            return found != null && found == rows;
        });
    }
}
