package io.distlock.jdbc;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.StoreFaults;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;

/** A database, and faults on the way to it. */
final class DatabaseBehindProxy implements StoreFaults, AutoCloseable {

    private static final JdbcLockOptions OPTIONS = JdbcLockOptions.defaults().withCallTimeout(Duration.ofSeconds(1));

    private final Database database;
    private final FaultProxy proxy;
    private final JdbcLockConnections troubled;
    private final JdbcLockConnections untroubled;

    DatabaseBehindProxy(Database database) {
        this.database = database;
        this.proxy = FaultProxy.to("127.0.0.1", database.server().port());
        this.troubled = connections();
        this.untroubled = database.connections(OPTIONS.withConnections(20));
    }

    private JdbcLockConnections connections() {
        String port = String.valueOf(database.server().port());
        String url = database.url().replace(":" + port + "/", ":" + proxy.port() + "/");
        return database.connections(url, OPTIONS.withConnections(20));
    }

    LockProvider provider(LockRuntime runtime) {
        return new JdbcLockProvider(runtime, troubled, OPTIONS);
    }

    LockProvider coldProvider(LockRuntime runtime) {
        return new JdbcLockProvider(runtime, connections(), OPTIONS.withConnectTimeout(Duration.ofSeconds(20)));
    }

    LockProvider untroubledProvider(LockRuntime runtime) {
        return new JdbcLockProvider(runtime, untroubled, OPTIONS);
    }

    @Override
    public void freeze() {
        proxy.freeze();
    }

    @Override
    public void thaw() {
        proxy.thaw();
    }

    @Override
    public void cut() {
        proxy.cut();
    }

    @Override
    public void disconnect() {
        proxy.refuse();
        proxy.cut();
    }

    @Override
    public void reconnect() {
        proxy.accept();
    }

    @Override
    public void close() {
        proxy.thaw();
        proxy.accept();
        database.close();
        proxy.close();
    }
}
