package io.distlock.jdbc.fence.proof;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections that run something right before they commit, if their thread has asked for it. */
final class PausingDataSource extends DelegatingDataSource implements AutoCloseable {

    private static final ThreadLocal<Runnable> BEFORE_COMMIT = ThreadLocal.withInitial(() -> () -> {});

    private final HikariDataSource pool;

    private PausingDataSource(HikariDataSource pool) {
        super(pool);
        this.pool = pool;
    }

    static PausingDataSource to(String url, String user) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword("");
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(1);
        // A process that was frozen for that long is meant to be.
        config.setConnectionTimeout(Duration.ofSeconds(60).toMillis());
        return new PausingDataSource(new HikariDataSource(config));
    }

    /** The first commit of the work runs this first. If it does not come to that, nor does a later one of its thread. */
    static void beforeCommit(Runnable pause, Runnable work) {
        BEFORE_COMMIT.set(() -> {
            BEFORE_COMMIT.remove();
            pause.run();
        });
        try {
            work.run();
        } finally {
            BEFORE_COMMIT.remove();
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = pool.getConnection();
        return (Connection) Proxy.newProxyInstance(
                PausingDataSource.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("commit")) {
                        BEFORE_COMMIT.get().run();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getTargetException();
                    }
                });
    }

    @Override
    public void close() {
        pool.close();
    }
}
