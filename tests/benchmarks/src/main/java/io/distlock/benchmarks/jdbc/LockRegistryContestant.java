package io.distlock.benchmarks.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Rivals.Rival;
import java.util.concurrent.locks.Lock;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration's locks as its documentation shows them, on the application's pool. */
final class LockRegistryContestant implements Contestant {

    static final String NAME = "JdbcLockRegistry";

    private final HikariDataSource connections;
    private final JdbcLockRegistry registry;

    LockRegistryContestant(HikariDataSource connections) {
        this.connections = connections;
        DefaultLockRepository repository = new DefaultLockRepository(connections);
        StaticApplicationContext context = new StaticApplicationContext();
        context.getBeanFactory().registerSingleton("transactionManager", new JdbcTransactionManager(connections));
        context.refresh();
        repository.setApplicationContext(context);
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        this.registry = new JdbcLockRegistry(repository);
        this.registry.setCacheCapacity(2 * ITEMS);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    @SuppressWarnings("LockNotBeforeTry") // there is nothing to try
    public void cycle(int item) {
        Lock lock = registry.obtain("peer:" + item);
        lock.lock();
        lock.unlock();
    }

    Rival rival() {
        Lock lock = registry.obtain("rivals");
        return new Rival() {

            @Override
            public Runnable take() {
                lock.lock();
                return lock::unlock;
            }

            @Override
            public void close() {
                connections.close();
            }
        };
    }

    @Override
    public void close() {
        connections.close();
    }
}
