package io.distlock.jdbc.fence;

import io.distlock.LockKey;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;

/** A fence of reactive transactions at a database. */
abstract class R2dbcFenceFixture extends FenceFixture {

    static final Duration PATIENCE = Duration.ofSeconds(30);

    R2dbcTransactionManager manager;
    DatabaseClient client;
    R2dbcFence fence;

    @BeforeAll
    void prepare() {
        database.jdbc().execute("create table work (done int)");
        ConnectionFactory connections = database.connections();
        manager = new R2dbcTransactionManager(connections);
        client = DatabaseClient.create(connections);
        fence = new R2dbcFence(connections, TABLE, "redis");
        fence.createTable(false).then(fence.verify()).block(PATIENCE);
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
}
