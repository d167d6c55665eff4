package io.distlock.jdbc.fence;

import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.Readable;
import io.r2dbc.spi.Wrapped;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.connection.init.ResourceDatabasePopulator;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * {@link JdbcFence} for reactive transactions: the same table, the same rows and the same promises. Both may be used on one
 * database. All work is done on subscription, in the transaction of the subscription's context. Thread-safe.
 */
public final class R2dbcFence {

    /** See {@link JdbcFence}: H2 alone may report a duplicate key. */
    private static final int MOST_TRIES = 5;

    /** For one statement of the cleaner, which is tried again later. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final ConnectionFactory connections;
    private final Manager manager;
    private final DatabaseClient client;
    private final FenceTable table;
    private final FenceSql fenceSql;
    private final SQLErrorCodeSQLExceptionTranslator translator;
    private final ReactiveLockedRows locked;
    private final String defaultProvider;
    private final String advance;
    private final String look;
    private final String lookAndLock;
    private final String lookAtFloorAndShare;
    private final String delete;

    /**
     * @param connections the connection factory of the transactions to fence
     * @param defaultProvider the provider of sequencers that are advanced without naming one
     * @throws IllegalStateException if the database is not supported
     */
    public R2dbcFence(ConnectionFactory connections, FenceTable table, String defaultProvider) {
        this.connections = connections;
        this.manager = new Manager(connections);
        this.client = DatabaseClient.create(connections);
        this.table = table;
        String product = connections.getMetadata().getName();
        this.fenceSql = FenceSql.of(product, "r2dbc");
        this.locked = new ReactiveLockedRows(this::raise, fenceSql);
        this.translator = new SQLErrorCodeSQLExceptionTranslator(product);
        this.defaultProvider = defaultProvider;
        this.advance = fenceSql.advance(table.name());
        this.look = FenceSql.look(table.name());
        this.lookAndLock = FenceSql.lookAndLock(table.name());
        this.lookAtFloorAndShare = FenceSql.lookAtFloorAndShare(table.name());
        this.delete = FenceSql.delete(table.name());
    }

    /**
     * Advances the fence in the current transaction. Subscribe to it first in a transaction, before reading what the lock
     * protects. Signals {@link StaleFencingTokenException} if a later holder was there, {@link IllegalStateException} outside
     * a transaction or for a token that cannot be compared, {@link org.springframework.dao.CannotAcquireLockException} if the
     * row was not free within the database's lock timeout, and {@link DataAccessException} if the database fails.
     */
    public Mono<Void> advance(Sequencer sequencer) {
        return advance(defaultProvider, sequencer);
    }

    /**
     * Like {@link #advance(Sequencer)}, for a grant of the named provider. In a transaction inside another one that has
     * locked the row ({@code REQUIRES_NEW}), it relies on that row, since it would wait for itself.
     */
    public Mono<Void> advance(String provider, Sequencer sequencer) {
        return transaction()
                .switchIfEmpty(Mono.error(
                        () -> new IllegalStateException("Fence.advance was called for lock '" + sequencer.key()
                                + "' outside a transaction of the fence's connection factory: begin one first")))
                .flatMap(transaction -> advance(transaction, FenceGrant.of(sequencer, table, provider)));
    }

    private Mono<Void> advance(TransactionSynchronizationManager transaction, FenceGrant grant) {
        if (grant.sequencer().mode() == LockMode.SHARED || transaction.isCurrentTransactionReadOnly()) {
            return rows(look, grant).doOnNext(grant::requireNewest).then();
        }
        if (locked.contains(transaction, grant)) {
            return Mono.empty();
        }
        if (locked.isSuspended(transaction, outer -> outer.key().equals(grant.key()))) {
            return Mono.error(grant.wouldWaitForItself());
        }
        Mono<Void> raised = locked.raise(transaction, grant);
        return locked.isInDoubt(transaction, outer -> outer.key().equals(grant.key()))
                ? Mono.justOrEmpty(fenceSql.longestWait())
                        .switchIfEmpty(Mono.error(grant::mayWaitForItself))
                        .flatMap(longest -> raiseInDoubt(raised, longest))
                : raised;
    }

    /** As in JdbcFence. */
    private Mono<Void> raiseInDoubt(Mono<Void> raised, String longestWait) {
        return client.sql(longestWait)
                .map(row -> Objects.requireNonNull(row.get(0, Long.class)))
                .one()
                .flatMap(before -> FenceSql.isLong(before)
                        ? limitWait(FenceSql.MOST_MILLIS_IN_DOUBT).then(raised).then(limitWait(before))
                        : raised);
    }

    private Mono<Void> limitWait(long millis) {
        return client.sql(FenceSql.limitWait(millis)).then();
    }

    /** Whether the subscription is in a transaction of the connection factory. */
    public Mono<Boolean> isInTransaction() {
        return transaction().hasElement();
    }

    /** Whether a connection factory leads to the fence's database, as one of them behind a wrapper of the other. */
    public boolean isOf(ConnectionFactory other) {
        return target(other) == target(Objects.requireNonNull(manager.getConnectionFactory()));
    }

    private static Object target(Object factory) {
        return factory instanceof Wrapped<?> wrapper ? target(wrapper.unwrap()) : factory;
    }

    private Mono<TransactionSynchronizationManager> transaction() {
        return TransactionSynchronizationManager.forCurrentTransaction()
                .filter(found -> found.isSynchronizationActive() && manager.hasTransaction(found))
                .onErrorResume(NoTransactionException.class, none -> Mono.empty());
    }

    /**
     * Creates the table with the database's script, unless it exists.
     *
     * @param onlyEmbedded does nothing for databases other than H2
     */
    public Mono<Void> createTable(boolean onlyEmbedded) {
        if (onlyEmbedded && fenceSql != FenceSql.H2) {
            return Mono.empty();
        }
        return Mono.fromCallable(() -> new ClassPathResource(fenceSql.script())
                        .getContentAsString(StandardCharsets.UTF_8)
                        .replace(FenceTable.DEFAULT_NAME, table.name()))
                .flatMap(script -> new ResourceDatabasePopulator(
                                new ByteArrayResource(script.getBytes(StandardCharsets.UTF_8)))
                        .populate(connections));
    }

    /**
     * Tests the fence, outside any transaction. Leaves nothing in the table, except a floor of the default provider if the
     * database needs one. Signals {@link IllegalStateException} if the table is missing, has different columns or is not
     * writable.
     */
    public Mono<Void> verify() {
        FenceGrant probe = FenceGrant.probe(table.source(defaultProvider));
        Mono<Void> tried = anew().execute(status -> {
                    status.setRollbackOnly();
                    return update(advance, probe).then(update(delete, probe));
                })
                .then();
        Mono<Void> prepared = Mono.justOrEmpty(fenceSql.prepareFloor(table.name()))
                .flatMap(prepare -> update(prepare, probe))
                .then();
        return tried.then(anew().transactional(prepared))
                .onErrorMap(DataAccessException.class, failure -> table.unusable(fenceSql, "r2dbc", failure))
                .onErrorMap(
                        TransactionException.class,
                        failure -> new IllegalStateException(
                                "the database of the fence does not answer: check spring.r2dbc.*", failure));
    }

    /**
     * The cleaner of the table. It blocks the thread that calls it, which must be allowed to wait.
     *
     * @param retention how long a row is kept after its last use; at least the longest time that a lock may be held
     */
    public FenceCleaner cleaner(Duration retention) {
        return new FenceCleaner(new Blocking(), fenceSql, table, retention);
    }

    private TransactionalOperator anew() {
        return TransactionalOperator.create(
                manager, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
    }

    private Mono<Void> raise(FenceGrant grant) {
        return update(advance, grant)
                .retryWhen(Retry.max(MOST_TRIES - 1)
                        .filter(each -> fenceSql == FenceSql.H2 && each instanceof DuplicateKeyException)
                        .onRetryExhaustedThrow((retries, last) -> grant.newerThanSnapshot(last.failure())))
                .flatMap(count -> fenceSql.accepts(count) ? Mono.empty() : examine(grant, count));
    }

    /** The count does not prove that the token was accepted. */
    private Mono<Void> examine(FenceGrant grant, int count) {
        if (fenceSql.refuses(count)) {
            return rows(look, grant).doOnNext(grant::refuse).then();
        }
        // As in JdbcFence: locking reads see the newest versions, and take no snapshot.
        return rows(lookAndLock, grant)
                .zipWhen(row -> rows(lookAtFloorAndShare, grant))
                .flatMap(found -> {
                    Map<String, FenceGrant.Row> rows = found.getT1();
                    rows.putAll(found.getT2());
                    if (rows.containsKey(grant.key()) && !grant.isBelowFloor(rows)) {
                        grant.requireNewest(rows);
                        return Mono.<Void>empty();
                    }
                    // The row may be new, and would be accepted if the transaction tried again.
                    return update(delete, grant).then(Mono.<Void>fromRunnable(() -> grant.refuse(rows)));
                });
    }

    private Mono<Integer> update(String sql, FenceGrant grant) {
        return bound(sql, grant.parameters())
                .fetch()
                .rowsUpdated()
                .map(Math::toIntExact)
                .onErrorMap(DataAccessException.class, failure -> translate(sql, failure));
    }

    /** As JDBC would: R2DBC has no type for a wait that took too long, and its drivers do not agree on one. */
    private DataAccessException translate(String sql, DataAccessException failure) {
        if (!(failure.getCause() instanceof R2dbcException cause)) {
            return failure;
        }
        SQLException same = new SQLException(cause.getMessage(), cause.getSqlState(), cause.getErrorCode(), cause);
        DataAccessException translated = translator.translate("fence", sql, same);
        return translated == null ? failure : translated;
    }

    private Mono<Map<String, FenceGrant.Row>> rows(String sql, FenceGrant grant) {
        return bound(sql, grant.parameters())
                .map(row -> new FenceGrant.Row(
                        column(row, "lock_key", String.class),
                        column(row, "token", Long.class),
                        column(row, "provider", String.class)))
                .all()
                .collectMap(FenceGrant.Row::key, Function.identity(), HashMap::new)
                .onErrorMap(DataAccessException.class, failure -> translate(sql, failure));
    }

    private static <T> T column(Readable row, String name, Class<T> type) {
        return Objects.requireNonNull(row.get(name, type));
    }

    private DatabaseClient.GenericExecuteSpec bound(String sql, Map<String, Object> parameters) {
        DatabaseClient.GenericExecuteSpec statement = client.sql(sql);
        for (Map.Entry<String, Object> each : parameters.entrySet()) {
            if (sql.contains(":" + each.getKey())) {
                statement = statement.bind(each.getKey(), each.getValue());
            }
        }
        return statement;
    }

    /** The cleaner's statements. */
    private final class Blocking implements FenceCleaner.Statements {

        private final TransactionalOperator transaction;

        Blocking() {
            DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
            definition.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
            transaction = TransactionalOperator.create(manager, definition);
        }

        @Override
        public <T> List<T> query(String sql, Map<String, Object> parameters, Class<T> type) {
            return run(bound(sql, parameters)
                    .map(row -> Objects.requireNonNull(row.get(0, type)))
                    .all()
                    .collectList());
        }

        @Override
        public int update(String sql, Map<String, Object> parameters) {
            return run(bound(sql, parameters).fetch().rowsUpdated().map(Math::toIntExact));
        }

        private <T> T run(Mono<T> statement) {
            return Objects.requireNonNull(transaction.transactional(statement).block(PATIENCE));
        }
    }

    /** Knows whether a transaction of the connection factory is open, as only managers do. */
    private static final class Manager extends R2dbcTransactionManager {

        Manager(ConnectionFactory connections) {
            super(connections);
        }

        boolean hasTransaction(TransactionSynchronizationManager synchronizations) {
            return isExistingTransaction(doGetTransaction(synchronizations));
        }
    }
}
