package io.distlock.jdbc;

import io.distlock.support.LockRuntime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * Runs the locks' statements on a few threads of their own, since the driver blocks. Some of them serve only what keeps or frees
 * locks: requests that wait for a row, and callers who ask again and again, never hold up a renewal or a release.
 *
 * <p>A call ends within its time with all of its statements, so that none is applied long after the caller has given up: the
 * driver's limits are what is left of that time. Deadlocks and serialization failures, after which nothing is applied,
 * are repeated within it. Thread-safe.
 */
final class DatabaseCalls implements AutoCloseable {

    private static final Duration IDLE = Duration.ofMinutes(1);
    /** Replanning costs about as much as a statement. */
    private static final int USES_OF_A_PLAN = 500;

    private static final long NANOS_BELOW_A_MILLI = 999_999;
    private static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private final LockRuntime runtime;
    private final JdbcLockOptions options;
    private final LimitedConnections dataSource;
    private final NamedParameterJdbcOperations database;
    private final ThreadPoolExecutor keeping;
    private final ThreadPoolExecutor taking;

    /** When the call must be over that this thread serves. */
    private final ThreadLocal<@Nullable Long> due = new ThreadLocal<>();

    private volatile @Nullable LockSql sql;

    /** What a call is for; each has threads of its own. */
    enum Urgency {
        KEEP,
        TAKE
    }

    /** A part of the work that only the statements know. */
    @FunctionalInterface
    interface Work<T> {

        T with(LockSql sql, NamedParameterJdbcOperations database);
    }

    DatabaseCalls(LockRuntime runtime, DataSource dataSource, JdbcLockOptions options) {
        this.runtime = runtime;
        this.options = options;
        this.dataSource = new LimitedConnections(dataSource);
        this.database = new NamedParameterJdbcTemplate(new LimitedStatements(this.dataSource));
        // At least one each, also where they share a connection.
        int keepers = Math.max(1, options.connections() / 2);
        AtomicLong number = new AtomicLong();
        this.keeping = threads(keepers, number);
        this.taking = threads(Math.max(1, options.connections() - keepers), number);
    }

    private static ThreadPoolExecutor threads(int most, AtomicLong number) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                most, most, IDLE.toMillis(), TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "distlock-jdbc-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** Ends within the call timeout. */
    <T> CompletableFuture<T> call(Urgency urgency, Work<T> work) {
        return call(urgency, options.callTimeout(), work);
    }

    /** Ends within the limit; fails with what the database said, or a {@link TimeoutException}. */
    <T> CompletableFuture<T> call(Urgency urgency, Duration limit, Work<T> work) {
        return call(urgency, until(limit), work);
    }

    /** When a call that begins now must be over, by the runtime's ticker. */
    long until() {
        return until(options.callTimeout());
    }

    private long until(Duration limit) {
        return runtime.ticker().nanos() + limit.toNanos();
    }

    /** Ends by then, as a part of a call that has begun before. */
    <T> CompletableFuture<T> call(Urgency urgency, long until, Work<T> work) {
        return limited(until, submit(urgency, until, work));
    }

    /** Its caller gives up by then, even if nothing ends it. */
    <T> CompletableFuture<T> limited(long until, CompletableFuture<T> answer) {
        CompletableFuture<T> limited = runtime.timeouts().within(upToMillis(left(until)), answer);
        // Given up, or cancelled: what has not begun is not sent any more.
        limited.whenComplete((done, failure) -> answer.cancel(false));
        return limited;
    }

    /** Begins nothing after then; a statement that has begun ends by then. Cancelled before, it sends nothing. */
    <T> CompletableFuture<T> submit(Urgency urgency, long until, Work<T> work) {
        Call<T> call = new Call<>(until, work);
        try {
            (urgency == Urgency.KEEP ? keeping : taking).execute(call);
        } catch (RejectedExecutionException closed) {
            call.answer.completeExceptionally(new NotSentException("the provider is closed"));
        }
        return call.answer;
    }

    /** The database's dialect, which its first connection tells. */
    LockSql sql() {
        LockSql known = sql;
        if (known == null) {
            try {
                String product = JdbcUtils.extractDatabaseMetaData(dataSource, meta -> meta.getDatabaseProductName());
                known = sql(product, options.table())
                        .orElseThrow(() -> new JdbcLockSetupException(
                                "locks are not supported in the database '" + product + "'",
                                "Use PostgreSQL, MySQL, MariaDB or H2, or another lock provider."));
            } catch (MetaDataAccessException failure) {
                throw new NotSentException("no connection to the database", failure);
            }
            sql = known;
        }
        return known;
    }

    /** That of a database, unless it is of an unknown kind. */
    static Optional<LockSql> sql(String product, String table) {
        return Stream.of(
                        new PostgreSqlLocks(table),
                        new MySqlLocks(false, table),
                        new MySqlLocks(true, table),
                        new H2Locks(table))
                .filter(each -> each.isFor(product))
                .findFirst();
    }

    /** The request has not reached the database. */
    static final class NotSentException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotSentException(String message) {
            super(message);
        }

        NotSentException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private final class Call<T> implements Runnable {

        private final long until;
        private final Work<T> work;
        private final CompletableFuture<T> answer = new CompletableFuture<>();

        Call(long until, Work<T> work) {
            this.until = until;
            this.work = work;
        }

        @Override
        public void run() {
            if (answer.isDone()) {
                return;
            }
            if (left(until) <= 0) {
                answer.completeExceptionally(new NotSentException("all " + options.connections()
                        + " connections for locks were busy for as long as a call may take"));
                return;
            }
            T result;
            due.set(until);
            try {
                result = repeated(() -> work.with(sql(), database));
            } catch (RuntimeException | Error failure) {
                answer.completeExceptionally(failure);
                return;
            } finally {
                due.remove();
            }
            answer.complete(result);
        }

        private T repeated(Supplier<T> attempt) {
            while (true) {
                try {
                    return attempt.get();
                } catch (ConcurrencyFailureException | DuplicateKeyException loser) {
                    long pause = ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS);
                    if (answer.isDone() || left(until) <= pause) {
                        throw loser;
                    }
                    LockSupport.parkNanos(pause);
                }
            }
        }
    }

    private static Duration upToMillis(long nanos) {
        return Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(Math.max(1, nanos) + NANOS_BELOW_A_MILLI));
    }

    /** How many nanoseconds there are until then. */
    long left(long until) {
        return until - runtime.ticker().nanos();
    }

    /** How long the statement may take that is about to begin. Outside a call, as when listening, as long as a call. */
    private Duration left() {
        Long until = due.get();
        return until == null ? options.callTimeout() : Duration.ofNanos(left(until));
    }

    /** Ends calls in progress, which takes up to a call timeout. */
    @Override
    public void close() {
        List<ThreadPoolExecutor> all = List.of(keeping, taking);
        all.forEach(ThreadPoolExecutor::shutdown);
        long closed = runtime.ticker().nanos();
        try {
            for (ThreadPoolExecutor each : all) {
                each.awaitTermination(left(closed + options.callTimeout().toNanos()), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    /** The server, or the driver, ends what nobody waits for any more, counted in whole seconds. */
    private final class LimitedStatements extends JdbcTemplate {

        LimitedStatements(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        public int getQueryTimeout() {
            return Math.toIntExact(Math.max(1, left().plusMillis(999).toSeconds()));
        }
    }

    /** Connections whose socket gives up in time, in auto-commit and READ COMMITTED, whatever the data source's settings are. */
    private final class LimitedConnections extends DelegatingDataSource {

        /** How often each of the driver's connections has been used. */
        private final Map<Connection, Integer> uses = Collections.synchronizedMap(new WeakHashMap<>());

        LimitedConnections(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try {
                limit(connection);
                forgetPlans(connection);
            } catch (SQLException | RuntimeException failure) {
                JdbcUtils.closeConnection(connection);
                throw failure;
            }
            return connection;
        }

        private void limit(Connection connection) throws SQLException {
            Duration left = left();
            if (left.toMillis() <= 0) {
                throw new SQLTimeoutException("a connection for locks came too late for its call");
            }
            try {
                // On the caller's thread: the driver calls it only to end a connection that it has given up.
                connection.setNetworkTimeout(Runnable::run, Math.toIntExact(left.toMillis()));
            } catch (SQLFeatureNotSupportedException | AbstractMethodError embedded) {
                // There is no network.
            }
            if (!connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
            if (!isOwn() && connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
        }

        /** Now and then: a plan that was made for a small table reads all of it, however large it has become. */
        private void forgetPlans(Connection connection) {
            Optional<String> forget = Optional.ofNullable(sql).flatMap(LockSql::forgetPlans);
            if (forget.isEmpty()) {
                return;
            }
            try {
                int used = uses.merge(connection.unwrap(Connection.class), 1, Integer::sum);
                if (used % USES_OF_A_PLAN == 0) {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute(forget.get());
                    }
                }
            } catch (SQLException notNeeded) {
                // It saves time only. If the connection is broken, the call's own statement says so.
            }
        }

        /** One of {@link JdbcLockConnections}, which has set the level when it was opened: asking costs a round trip. */
        private boolean isOwn() {
            return getTargetDataSource() instanceof JdbcLockConnections;
        }
    }
}
