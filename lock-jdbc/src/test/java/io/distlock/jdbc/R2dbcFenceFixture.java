package io.distlock.jdbc;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;

/** A fence of reactive transactions at a database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class R2dbcFenceFixture {

    private static final FenceTable TABLE = new FenceTable(FenceTable.DEFAULT_NAME, "lock");
    static final Duration PATIENCE = Duration.ofSeconds(30);

    Database database;
    R2dbcTransactionManager manager;
    DatabaseClient client;
    R2dbcFence fence;

    abstract Database start();

    @BeforeAll
    void prepare() {
        database = start();
        database.jdbc().execute("create table work (done int)");
        ConnectionFactory connections = database.connections();
        manager = new R2dbcTransactionManager(connections);
        client = DatabaseClient.create(connections);
        fence = new R2dbcFence(connections, TABLE, "redis");
        fence.createTable(false).then(fence.verify()).block(PATIENCE);
    }

    @AfterAll
    void end() {
        database.close();
    }

    final void advance(LockKey key, long token) {
        in(fence.advance(exclusive(key, token))).block(PATIENCE);
    }

    final Mono<Void> in(Mono<Void> work) {
        return in(new DefaultTransactionDefinition(), work);
    }

    final Mono<Void> in(TransactionDefinition definition, Mono<Void> work) {
        return TransactionalOperator.create(manager, definition).transactional(work);
    }

    final long token(LockKey key) {
        return number("select token from distributed_lock_fence where lock_key = ?", key);
    }

    final long rows(LockKey key) {
        return number("select count(*) from distributed_lock_fence where lock_key = ?", key);
    }

    private long number(String sql, LockKey key) {
        Long number = database.jdbc().queryForObject(sql, Long.class, TABLE.key(key));
        return number == null ? 0 : number;
    }

    static LockKey unique() {
        return LockKey.of("orders", UUID.randomUUID().toString());
    }

    static Sequencer exclusive(LockKey key, long token) {
        return new Sequencer(key, LockMode.EXCLUSIVE, new FencingToken(token));
    }

    static Sequencer shared(LockKey key, long token) {
        return new Sequencer(key, LockMode.SHARED, new FencingToken(token));
    }
}
