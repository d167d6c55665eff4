package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.time.ManualTicker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** An H2 whose connections listen as PostgreSQL's do. It sends what the test says, and its clock stands still. */
final class ImaginedMessages extends DelegatingDataSource {

    static final long NOW = 1_000_000_000;

    private static final PGNotification[] NONE = {};

    private final String clock;
    private final ManualTicker ticker;

    /** For how many milliseconds the listener waits for the next message. */
    private final BlockingQueue<Integer> waits = new LinkedBlockingQueue<>();

    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private final List<String> commands = new CopyOnWriteArrayList<>();
    private volatile boolean losesMessages;
    private volatile boolean refused;

    @FunctionalInterface
    private interface Answer {

        PGNotification @Nullable [] get() throws SQLException;
    }

    private record Message(String getName, int getPID, String getParameter) implements PGNotification {}

    ImaginedMessages(Database database, ManualTicker ticker) {
        super(database.direct());
        this.clock = database.sql().clock.replace("select ", "");
        this.ticker = ticker;
    }

    /** As a pooler does that changes connections. */
    void loseMessages(boolean lost) {
        losesMessages = lost;
    }

    void refuseConnections(boolean refuse) {
        refused = refuse;
    }

    /** Waits until the listener does; for how many milliseconds that is. */
    int awaitListener() {
        try {
            Integer wait = waits.poll(1, TimeUnit.MINUTES);
            assertThat(wait).as("how long the listener waits").isNotNull();
            return wait == null ? 0 : wait;
        } catch (InterruptedException interrupt) {
            throw new AssertionError(interrupt);
        }
    }

    void send(String... rows) {
        answers.add(() -> Stream.of(rows).map(row -> new Message("", 0, row)).toArray(PGNotification[]::new));
    }

    /** Nothing comes for so long. */
    void passSilently(int millis) {
        ticker.advance(Duration.ofMillis(millis));
        answers.add(() -> null);
    }

    void breakConnection() {
        answers.add(() -> {
            throw new SQLException("the connection broke");
        });
    }

    List<String> commands() {
        return commands;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (refused) {
            throw new SQLException("too many connections");
        }
        return proxy(Connection.class, super.getConnection());
    }

    private <T> T proxy(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    String called = method.getName();
                    if (called.equals("unwrap") && arguments[0] == PGConnection.class) {
                        return driver();
                    } else if (called.equals("execute") && ((String) arguments[0]).contains("listen")) {
                        return commands.add((String) arguments[0]);
                    } else if (called.equals("prepareStatement")) {
                        arguments[0] = said((String) arguments[0]);
                    }
                    try {
                        Object answer = method.invoke(target, arguments);
                        return called.equals("createStatement") ? proxy(Statement.class, answer) : answer;
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                }));
    }

    private String said(String statement) {
        if (!statement.contains("pg_notify")) {
            return statement.replace(clock, "cast(" + NOW + " as bigint)");
        }
        if (!losesMessages) {
            send("{probe}");
        }
        return "select cast(? as varchar)";
    }

    private PGConnection driver() {
        return (PGConnection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PGConnection.class}, (proxy, method, arguments) -> {
                    waits.add((Integer) arguments[0]);
                    PGNotification[] messages = answers.take().get();
                    return messages == null ? NONE : messages;
                });
    }
}
