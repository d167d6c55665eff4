package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.jdbc.DatabaseCalls.Urgency;
import io.distlock.support.Futures;
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
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
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
        // The pool has it again.
        assertThat(dataSource.open).hasValue(0);
    }

    /** To the driver, zero stands for no limit at all. */
    @Test
    void aStatementThatIsSentAtTheLastMomentHasALimitToo() throws InterruptedException, TimeoutException {
        Integer known = get(calls.call(Urgency.TAKE, DatabaseCallsTests::selectOne));
        assertThat(known).isEqualTo(1);
        dataSource.clear();
        dataSource.beforeStatement = () -> ticker.advance(Duration.ofSeconds(15));
        CompletableFuture<Void> over = new CompletableFuture<>();
        calls.call(Urgency.TAKE, (sql, statements) -> {
            Integer one = selectOne(sql, statements);
            over.complete(null);
            return one;
        });
        get(over);
        assertThat(dataSource.statements).containsExactly(1);
    }

    private static Integer selectOne(LockSql sql, NamedParameterJdbcOperations statements) {
        Integer one = statements.getJdbcOperations().queryForObject("select 1", Integer.class);
        return one == null ? 0 : one;
    }

    /** It is answered when its time is over; what is sent after that nobody expects. */
    @Test
    void aCallWhoseTurnComesTooLateIsNotSent() throws InterruptedException, TimeoutException {
        CompletableFuture<Void> freed = new CompletableFuture<>();
        calls.call(Urgency.TAKE, Duration.ofHours(1), (sql, statements) -> freed.join());
        CompletableFuture<Boolean> late = calls.submit(Urgency.TAKE, calls.until(), (sql, statements) -> true);
        ticker.advance(Duration.ofSeconds(10));
        freed.complete(null);
        Throwable failure = get(late.handle((sent, why) -> why));
        assertThat(failure)
                .isInstanceOf(DatabaseCalls.NotSentException.class)
                .hasMessage("all 2 connections for locks were busy for as long as a call may take");
    }

    @Test
    void aCallThatIsCancelledWhileItWaitsIsNotSent() throws InterruptedException, TimeoutException {
        CompletableFuture<Void> freed = new CompletableFuture<>();
        CompletableFuture<Boolean> first = waiting(freed);
        AtomicInteger sent = new AtomicInteger();
        calls.call(Urgency.TAKE, (sql, statements) -> sent.incrementAndGet()).cancel(false);
        freed.complete(null);
        get(first);
        Boolean next = get(calls.call(Urgency.TAKE, (sql, statements) -> true));
        assertThat(next).isTrue();
        assertThat(sent).hasValue(0);
    }

    @Test
    void whatLosesToAnotherIsRepeatedUnlessItsCallerHasGivenUp() throws InterruptedException, TimeoutException {
        for (RuntimeException loser :
                List.of(new CannotAcquireLockException("deadlock"), new DuplicateKeyException("another's row"))) {
            AtomicInteger sent = new AtomicInteger();
            Boolean answer = get(calls.call(Urgency.TAKE, (sql, statements) -> {
                if (sent.incrementAndGet() < 3) {
                    throw loser;
                }
                return true;
            }));
            assertThat(answer).isTrue();

            AtomicInteger sentInVain = new AtomicInteger();
            CompletableFuture<Void> begun = new CompletableFuture<>();
            CompletableFuture<Void> goOn = new CompletableFuture<>();
            CompletableFuture<Boolean> cancelled = calls.call(Urgency.TAKE, (sql, statements) -> {
                sentInVain.incrementAndGet();
                begun.complete(null);
                goOn.join();
                throw loser;
            });
            get(begun);
            cancelled.cancel(false);
            goOn.complete(null);
            Boolean next = get(calls.call(Urgency.TAKE, (sql, statements) -> true));
            assertThat(next).isTrue();
            assertThat(sentInVain).hasValue(1);
        }
    }

    @Test
    void allConnectionsAreUsed() throws InterruptedException, TimeoutException {
        CompletableFuture<Void> freed = new CompletableFuture<>();
        try (DatabaseCalls three = new DatabaseCalls(runtime, dataSource, Database.PATIENT.withConnections(3))) {
            for (Urgency each : List.of(Urgency.KEEP, Urgency.TAKE, Urgency.TAKE)) {
                CompletableFuture<Void> begun = new CompletableFuture<>();
                three.call(each, (sql, statements) -> {
                    begun.complete(null);
                    return freed.join();
                });
                get(begun);
            }
            freed.complete(null);
        }
    }

    @Test
    void aSingleConnectionServesBothKinds() throws InterruptedException, TimeoutException {
        try (DatabaseCalls single = new DatabaseCalls(runtime, dataSource, Database.PATIENT.withConnections(1))) {
            for (Urgency each : Urgency.values()) {
                Integer one = get(single.call(each, DatabaseCallsTests::selectOne));
                assertThat(one).isEqualTo(1);
            }
        }
    }

    /** A pool's own settings may be such, and nothing would commit. */
    @Test
    void eachStatementIsATransactionAtReadCommittedWhateverTheDataSourceIs()
            throws InterruptedException, TimeoutException {
        DelegatingDataSource strict = new DelegatingDataSource(database.direct()) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                connection.setAutoCommit(false);
                return connection;
            }
        };
        try (DatabaseCalls own = new DatabaseCalls(runtime, strict, Database.PATIENT)) {
            List<Object> seen = get(own.call(
                    Urgency.TAKE,
                    (sql, statements) -> statements
                            .getJdbcOperations()
                            .execute((Connection connection) -> List.<Object>of(
                                    connection.getAutoCommit(), connection.getTransactionIsolation()))));
            assertThat(seen).containsExactly(true, Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    /** Nothing was applied, and nothing will be. */
    @Test
    void whoGetsNoFirstConnectionIsNotSent() throws InterruptedException, TimeoutException {
        DelegatingDataSource refused = new DelegatingDataSource(database.direct()) {

            @Override
            public Connection getConnection() throws SQLException {
                throw new SQLException("too many connections");
            }
        };
        try (DatabaseCalls none = new DatabaseCalls(runtime, refused, Database.PATIENT)) {
            Throwable failure =
                    get(none.call(Urgency.TAKE, (sql, statements) -> true).handle((sent, why) -> Futures.cause(why)));
            assertThat(failure).isInstanceOf(DatabaseCalls.NotSentException.class);
        }
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
    void closingWaitsForWhatIsInProgress() throws InterruptedException, TimeoutException {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        CompletableFuture<Boolean> answer = calls.call(Urgency.TAKE, (sql, statements) -> {
            begun.complete(null);
            goOn.join();
            return !Thread.currentThread().isInterrupted();
        });
        get(begun);
        Thread closing = new Thread(calls::close);
        closing.start();
        await().until(() -> !closing.isAlive() || closing.getState() == Thread.State.TIMED_WAITING);
        assertThat(closing.isAlive()).isTrue();
        goOn.complete(null);
        closing.join();
        assertThat(answer).isCompletedWithValue(true);
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
        private final AtomicInteger open = new AtomicInteger();
        private volatile Runnable beforeStatement = () -> {};

        LimitsSeen(DataSource dataSource) {
            super(dataSource);
        }

        void clear() {
            network.clear();
            statements.clear();
        }

        @Override
        public Connection getConnection() throws SQLException {
            open.incrementAndGet();
            return watched(Connection.class, super.getConnection());
        }

        private <T> T watched(Class<T> type, T target) {
            ClassLoader loader = getClass().getClassLoader();
            return type.cast(Proxy.newProxyInstance(loader, new Class<?>[] {type}, (proxy, method, arguments) -> {
                note(method.getName(), arguments);
                if (method.getName().equals("close") && type == Connection.class) {
                    open.decrementAndGet();
                }
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
            } else if (method.equals("createStatement")) {
                beforeStatement.run();
            }
        }
    }
}
