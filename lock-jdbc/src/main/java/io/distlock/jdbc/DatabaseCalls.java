package io.distlock.jdbc;

import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
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
 * Runs the locks' statements on a few threads of their own, since the driver blocks: as many as there are connections. What keeps
 * or frees locks goes first, so that callers who wait never hold up a renewal. A call that has not begun within its time is
 * not sent any more. Deadlocks and serialization failures, after which nothing is applied, are repeated within
 * that time. Thread-safe.
 */
final class DatabaseCalls implements AutoCloseable {

    private static final Duration IDLE = Duration.ofMinutes(1);
    private static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private final LockRuntime runtime;
    private final JdbcLockOptions options;
    private final DataSource dataSource;
    private final NamedParameterJdbcOperations database;
    private final ThreadPoolExecutor threads;
    private final AtomicLong order = new AtomicLong();
    private volatile @Nullable LockSql sql;

    /** What goes first. */
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
        this.dataSource = new LimitedConnections(dataSource, options.callTimeout());
        JdbcTemplate template = new JdbcTemplate(this.dataSource);
        // In whole seconds, so that the server ends what nobody waits for any more; the connection's limit is the exact
        // one.
        template.setQueryTimeout(
                Math.toIntExact(options.callTimeout().plusMillis(999).toSeconds()));
        this.database = new NamedParameterJdbcTemplate(template);
        AtomicLong number = new AtomicLong();
        this.threads = new ThreadPoolExecutor(
                options.connections(),
                options.connections(),
                IDLE.toMillis(),
                TimeUnit.MILLISECONDS,
                new PriorityBlockingQueue<>(),
                task -> {
                    Thread thread = new Thread(task, "distlock-jdbc-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
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
        Call<T> call = new Call<>(urgency, runtime.ticker().nanos() + limit.toNanos(), work);
        try {
            threads.execute(call);
        } catch (RejectedExecutionException closed) {
            call.answer.completeExceptionally(new NotSentException("the provider is closed"));
        }
        CompletableFuture<T> limited = runtime.timeouts().within(limit, call.answer);
        // Given up, or cancelled: what has not begun is not sent any more.
        limited.whenComplete((answer, failure) -> call.answer.cancel(false));
        return limited;
    }

    /** The database's dialect, which its first connection tells. */
    LockSql sql() {
        LockSql known = sql;
        if (known == null) {
            try {
                String product = JdbcUtils.extractDatabaseMetaData(dataSource, meta -> meta.getDatabaseProductName());
                known = LockSql.of(product, options.table())
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

    private final class Call<T> implements Runnable, Comparable<Call<?>> {

        private final Urgency urgency;
        private final long number = order.incrementAndGet();
        private final long due;
        private final Work<T> work;
        private final CompletableFuture<T> answer = new CompletableFuture<>();

        Call(Urgency urgency, long due, Work<T> work) {
            this.urgency = urgency;
            this.due = due;
            this.work = work;
        }

        @Override
        public void run() {
            if (answer.isDone()) {
                return;
            }
            if (ticker().nanos() - due >= 0) {
                answer.completeExceptionally(new NotSentException("all " + options.connections()
                        + " connections for locks were busy for as long as a call may take"));
                return;
            }
            T result;
            try {
                result = repeated(() -> work.with(sql(), database));
            } catch (RuntimeException | Error failure) {
                answer.completeExceptionally(failure);
                return;
            }
            answer.complete(result);
        }

        private T repeated(Supplier<T> attempt) {
            while (true) {
                try {
                    return attempt.get();
                } catch (ConcurrencyFailureException | DuplicateKeyException loser) {
                    long pause = ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS);
                    if (answer.isDone() || ticker().nanos() + pause - due >= 0) {
                        throw loser;
                    }
                    LockSupport.parkNanos(pause);
                }
            }
        }

        @Override
        public int compareTo(Call<?> other) {
            int first = urgency.compareTo(other.urgency);
            return first != 0 ? first : Long.compare(number, other.number);
        }
    }

    private Ticker ticker() {
        return runtime.ticker();
    }

    /** Ends calls in progress, which takes up to a call timeout. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            threads.awaitTermination(options.callTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    /** Connections whose socket gives up, in auto-commit and READ COMMITTED, whatever the data source's settings are. */
    private static final class LimitedConnections extends DelegatingDataSource {

        private final Duration callTimeout;

        LimitedConnections(DataSource dataSource, Duration callTimeout) {
            super(dataSource);
            this.callTimeout = callTimeout;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try {
                limit(connection);
            } catch (SQLException | RuntimeException failure) {
                JdbcUtils.closeConnection(connection);
                throw failure;
            }
            return connection;
        }

        private void limit(Connection connection) throws SQLException {
            try {
                // On the caller's thread: the driver calls it only to end a connection that it has given up.
                connection.setNetworkTimeout(Runnable::run, Math.toIntExact(callTimeout.toMillis()));
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

        /** One of {@link JdbcLockConnections}, which has set the level when it was opened: asking costs a round trip. */
        private boolean isOwn() {
            return getTargetDataSource() instanceof JdbcLockConnections;
        }
    }
}
