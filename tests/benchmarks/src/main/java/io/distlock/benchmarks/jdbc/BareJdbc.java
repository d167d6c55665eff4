package io.distlock.benchmarks.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.benchmarks.jdbc.RecordedStatement.Recorder;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Contestant;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * The driver by itself, on a pool of the locks' size: it sends the provider's own two statements, which it has learned from a
 * cycle of the provider's. Neither threads nor time limits nor repetitions.
 */
final class BareJdbc implements Contestant {

    private static final String LEARNED_ITEM = "learned";
    private static final AtomicLong OWNERS = new AtomicLong();

    private final HikariDataSource connections;
    private final RecordedStatement acquire;
    private final RecordedStatement release;
    private final String row;
    private final String owner;
    private final long token;

    /**
     * Learns the statements.
     *
     * @param applications starts one on a data source, which records what is sent
     */
    BareJdbc(HikariDataSource connections, Function<DataSource, Application> applications) {
        this.connections = connections;
        Recorder recorder = new Recorder(connections);
        try (Application application = applications.apply(recorder)) {
            LockClient locks = application.locks();
            recorder.clear();
            try (HeldLock held = locks.acquire(locks.request("bench", LEARNED_ITEM))) {
                this.token = held.fencingToken().value();
            }
            List<RecordedStatement> cycle = recorder.statementsWith("bench:" + LEARNED_ITEM);
            this.acquire = cycle.get(0);
            this.release = cycle.get(cycle.size() - 1);
            this.row = acquire.textWith(LEARNED_ITEM).orElseThrow();
            this.owner = acquire.textWithout(LEARNED_ITEM).orElseThrow();
        }
    }

    @Override
    public String name() {
        return "bare JDBC";
    }

    @Override
    public void cycle(int item) {
        String own = row.replace(LEARNED_ITEM, "bare-" + item);
        String mine = "bare-" + OWNERS.incrementAndGet();
        long granted = send(
                acquire,
                Map.of(row, own, owner, mine),
                answer -> answer.getString(1).equals(mine),
                2);
        send(release, Map.of(row, own, owner, mine, token, granted), answer -> true, 0);
    }

    /** Whether it did what it should. */
    @FunctionalInterface
    private interface Check {

        boolean isRight(ResultSet answer) throws SQLException;
    }

    private long send(RecordedStatement statement, Map<Object, Object> instead, Check check, int column) {
        try (Connection connection = connections.getConnection();
                PreparedStatement prepared = statement.on(connection, instead);
                ResultSet answer = prepared.executeQuery()) {
            if (!answer.next() || !check.isRight(answer)) {
                throw new IllegalStateException("not done: " + statement);
            }
            return column == 0 ? 0 : answer.getLong(column);
        } catch (SQLException failure) {
            throw new IllegalStateException("the database did not do what it was asked", failure);
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
