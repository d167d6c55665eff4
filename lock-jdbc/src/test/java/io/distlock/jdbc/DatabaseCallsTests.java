package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.jdbc.DatabaseCalls.Urgency;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The limits of calls, in a time that the test makes pass. */
class DatabaseCallsTests {

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final Database database = Database.h2();
    private final LimitsSeen dataSource = new LimitsSeen(database.direct());
    private final DatabaseCalls calls = new DatabaseCalls(
            runtime,
            dataSource,
            Database.PATIENT.withCallTimeout(Duration.ofSeconds(10)).withConnections(2));

    @AfterEach
    void close() {
        calls.close();
        runtime.close();
        database.close();
    }

    private static <T> T get(CompletableFuture<T> stage) throws InterruptedException, TimeoutException {
        try {
            return stage.get(1, TimeUnit.MINUTES);
        } catch (ExecutionException failure) {
            throw new AssertionError(failure);
        }
    }

    /** The caller gives up when the call's time is over; what is applied later must not surprise anybody for as long again. */
    @Test
    void aStatementThatBeginsLateMayTakeOnlyWhatIsLeftOfItsCall() throws InterruptedException, TimeoutException {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> late = new CompletableFuture<>();
        CompletableFuture<Integer> answer = calls.call(Urgency.TAKE, (sql, statements) -> {
            begun.complete(null);
            late.join();
            return statements.getJdbcOperations().queryForObject("select 1", Integer.class);
        });
        get(begun);
        dataSource.clear();
        ticker.advance(Duration.ofMillis(7_500));
        late.complete(null);
        Integer one = get(answer);
        assertThat(one).isEqualTo(1);
        assertThat(dataSource.network).containsExactly(2_500);
        assertThat(dataSource.statements).containsExactly(3);
    }

    @Test
    void aConnectionThatComesTooLateIsNotUsed() throws InterruptedException, TimeoutException {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> late = new CompletableFuture<>();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        calls.call(Urgency.TAKE, (sql, statements) -> {
            begun.complete(null);
            late.join();
            try {
                return statements.getJdbcOperations().queryForObject("select 1", Integer.class);
            } catch (RuntimeException tooLate) {
                failure.complete(tooLate);
                throw tooLate;
            }
        });
        get(begun);
        dataSource.clear();
        ticker.advance(Duration.ofSeconds(10));
        late.complete(null);
        Throwable tooLate = get(failure);
        assertThat(tooLate).hasRootCauseMessage("a connection for locks came too late for its call");
        assertThat(dataSource.statements).isEmpty();
    }

    /** Both of them wait for one row, which a transaction elsewhere has locked. */
    @Test
    void takesDoNotHoldUpWhatKeepsLocks() throws InterruptedException, TimeoutException {
        CompletableFuture<Void> freed = new CompletableFuture<>();
        List<CompletableFuture<Boolean>> takes = List.of(waiting(freed), waiting(freed), waiting(freed));
        Boolean kept = get(calls.call(Urgency.KEEP, (sql, statements) -> true));
        assertThat(kept).isTrue();
        assertThat(takes).noneMatch(CompletableFuture::isDone);
        freed.complete(null);
        for (CompletableFuture<Boolean> take : takes) {
            Boolean taken = get(take);
            assertThat(taken).isTrue();
        }
    }

    private CompletableFuture<Boolean> waiting(CompletableFuture<Void> freed) {
        return calls.call(Urgency.TAKE, (sql, statements) -> {
            freed.join();
            return true;
        });
    }

    @Test
    void aClosedOneSendsNothing() {
        calls.close();
        assertThatThrownBy(() ->
                        calls.call(Urgency.KEEP, (sql, statements) -> true).get(1, TimeUnit.MINUTES))
                .hasMessageContaining("the provider is closed");
    }

    /** Notes the limits of connections and statements. */
    private static final class LimitsSeen extends DelegatingDataSource {

        private final List<Integer> network = new CopyOnWriteArrayList<>();
        private final List<Integer> statements = new CopyOnWriteArrayList<>();

        LimitsSeen(DataSource dataSource) {
            super(dataSource);
        }

        void clear() {
            network.clear();
            statements.clear();
        }

        @Override
        public Connection getConnection() throws SQLException {
            return watched(Connection.class, super.getConnection());
        }

        private <T> T watched(Class<T> type, T target) {
            ClassLoader loader = getClass().getClassLoader();
            return type.cast(Proxy.newProxyInstance(loader, new Class<?>[] {type}, (proxy, method, arguments) -> {
                note(method.getName(), arguments);
                try {
                    Object answer = method.invoke(target, arguments);
                    boolean plain = method.getName().equals("createStatement");
                    return plain ? watched(Statement.class, Statement.class.cast(answer)) : answer;
                } catch (InvocationTargetException failure) {
                    throw failure.getCause();
                }
            }));
        }

        private void note(String method, Object[] arguments) {
            if (method.equals("setNetworkTimeout")) {
                network.add((Integer) arguments[1]);
            } else if (method.equals("setQueryTimeout")) {
                statements.add((Integer) arguments[0]);
            }
        }
    }
}
