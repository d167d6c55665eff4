package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockKey;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.r2dbc.connection.ConnectionFactoryUtils;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The database may end a transaction while its rows are locked again for one inside it, which the application does not see. */
class RolledBackAtSuspensionTests {

    private static final FenceTable TABLE = new FenceTable(FenceTable.DEFAULT_NAME, "lock");
    private static final FenceGrant GRANT = FenceGrant.of(FenceFixture.exclusive(LockKey.of("a"), 1), TABLE, "redis");

    private static Database database;
    private static CountedConnections connections;

    private final AtomicInteger raised = new AtomicInteger();

    @BeforeAll
    static void open() {
        database = Database.h2();
        connections = (CountedConnections) database.connections();
        database.jdbc().execute("create table written (id int)");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void empty() {
        database.jdbc().update("delete from written");
    }

    @Test
    void whatATransactionWritesAfterItsDeadlockIsNotCommittedWithoutWhatItWroteBefore() {
        LockedRows rows = new LockedRows(this::endAtTheSecond, FenceSql.H2);
        assertThatExceptionOfType(PessimisticLockingFailureException.class)
                .isThrownBy(() -> database.transaction().executeWithoutResult(status -> {
                    rows.raise(GRANT);
                    write(1);
                    inside(
                            TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                            () -> assertThat(rows.contains(GRANT)).isFalse());
                    inside(
                            TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                            () -> assertThat(rows.contains(GRANT)).isTrue());
                    write(2);
                }));
        assertThat(written()).isZero();
    }

    /** MariaDB ends the statement alone after a wait that was too long; the database fails the rollback after a deadlock. */
    @Test
    void aFailureInAPartThatIsRolledBackToItsSavepointLeavesTheRestToBeCommitted() {
        LockedRows rows = new LockedRows(this::failAtTheSecond, FenceSql.MYSQL);
        database.transaction().executeWithoutResult(status -> {
            rows.raise(GRANT);
            inside(TransactionDefinition.PROPAGATION_NESTED, () -> {
                inside(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> {});
                write(1);
            });
            write(2);
        });
        assertThat(written()).isOne();
    }

    /** Nothing brings back what was written before the savepoint. */
    @Test
    void aRollbackToASavepointDoesNotMakeADeadlockBeforeItForgotten() {
        LockedRows rows = new LockedRows(this::endAtTheSecond, FenceSql.H2);
        assertThatExceptionOfType(PessimisticLockingFailureException.class)
                .isThrownBy(() -> database.transaction().executeWithoutResult(status -> {
                    rows.raise(GRANT);
                    write(1);
                    inside(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> {});
                    inside(TransactionDefinition.PROPAGATION_NESTED, () -> {});
                    write(2);
                }));
        assertThat(written()).isZero();
    }

    /** Another transaction takes them in that order, too, and would otherwise wait for this one while this one waits for it. */
    @Test
    void rowsAreLockedAgainInTheOrderOfTheirKeys() {
        List<String> order = new ArrayList<>();
        LockedRows rows =
                new LockedRows(grant -> order.add(grant.sequencer().key().text()), FenceSql.H2);
        database.transaction().executeWithoutResult(status -> {
            for (String key : List.of("c", "a", "b", "f", "e", "d")) {
                rows.raise(FenceGrant.of(FenceFixture.exclusive(LockKey.of(key), 1), TABLE, "redis"));
            }
            order.clear();
            inside(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> {});
        });
        assertThat(order).containsExactly("a", "b", "c", "d", "e", "f", "a", "b", "c", "d", "e", "f");
    }

    /** Its statement was not sent. */
    @Test
    void aTransactionWhoseTimeIsUpWhileItIsSuspendedIsNotTakenForOneThatWasRolledBack() {
        LockedRows rows = new LockedRows(this::timeOutAtTheSecond, FenceSql.H2);
        database.transaction().executeWithoutResult(status -> {
            rows.raise(GRANT);
            inside(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> {});
            write(1);
        });
        assertThat(written()).isOne();
    }

    @Test
    void whatAReactiveTransactionWritesAfterItsDeadlockIsNotCommittedWithoutWhatItWroteBefore() {
        R2dbcTransactionManager manager = new R2dbcTransactionManager(connections);
        DatabaseClient client = DatabaseClient.create(connections);
        ReactiveLockedRows rows = new ReactiveLockedRows(
                grant -> raised.incrementAndGet() != 2
                        ? Mono.empty()
                        : ConnectionFactoryUtils.getConnection(connections)
                                .flatMap(connection -> Mono.from(connection.rollbackTransaction())
                                        .then(Mono.from(connection.beginTransaction())))
                                .then(Mono.error(new PessimisticLockingFailureException("deadlock"))),
                FenceSql.H2);
        Mono<Void> raise = TransactionSynchronizationManager.forCurrentTransaction()
                .flatMap(transaction -> rows.raise(transaction, GRANT));
        List<Boolean> relied = new ArrayList<>();
        Mono<Void> inside = TransactionalOperator.create(
                        manager, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW))
                .transactional(TransactionSynchronizationManager.forCurrentTransaction()
                        .doOnNext(inner -> relied.add(rows.contains(inner, GRANT)))
                        .then());
        Mono<Void> work = raise.then(
                        client.sql("insert into written values (1)").then())
                .then(inside)
                .then(inside)
                .then(client.sql("insert into written values (2)").then());
        assertThatExceptionOfType(PessimisticLockingFailureException.class)
                .isThrownBy(() -> TransactionalOperator.create(manager)
                        .transactional(work)
                        .block(Duration.ofMinutes(1)));
        assertThat(relied).containsExactly(false, true);
        assertThat(written()).isZero();
    }

    @Test
    void aReactiveTransactionWhoseTimeIsUpWhileItIsSuspendedIsNotTakenForOneThatWasRolledBack() {
        DatabaseClient client = DatabaseClient.create(connections);
        ReactiveLockedRows rows =
                new ReactiveLockedRows(grant -> Mono.fromRunnable(() -> timeOutAtTheSecond(grant)), FenceSql.H2);
        Mono<Void> raise = TransactionSynchronizationManager.forCurrentTransaction()
                .flatMap(transaction -> rows.raise(transaction, GRANT));
        List<Boolean> relied = new ArrayList<>();
        Mono<Void> inside = TransactionalOperator.create(
                        new R2dbcTransactionManager(connections),
                        new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW))
                .transactional(TransactionSynchronizationManager.forCurrentTransaction()
                        .doOnNext(inner -> relied.add(rows.contains(inner, GRANT)))
                        .then());
        TransactionalOperator.create(new R2dbcTransactionManager(connections))
                .transactional(raise.then(inside)
                        .then(client.sql("insert into written values (1)").then()))
                .block(Duration.ofMinutes(1));
        assertThat(relied).containsExactly(true);
        assertThat(written()).isOne();
    }

    /** Another transaction takes them in that order, too. */
    @Test
    void rowsOfAReactiveTransactionAreLockedAgainInTheOrderOfTheirKeys() {
        List<String> order = new ArrayList<>();
        ReactiveLockedRows rows = new ReactiveLockedRows(
                grant -> Mono.fromRunnable(
                        () -> order.add(grant.sequencer().key().text())),
                FenceSql.H2);
        Mono<Void> raise = Flux.just("c", "a", "b", "f", "e", "d")
                .concatMap(key -> TransactionSynchronizationManager.forCurrentTransaction()
                        .flatMap(transaction -> rows.raise(
                                transaction,
                                FenceGrant.of(FenceFixture.exclusive(LockKey.of(key), 1), TABLE, "redis"))))
                .then(Mono.fromRunnable(order::clear));
        R2dbcTransactionManager manager = new R2dbcTransactionManager(connections);
        Mono<Void> inside = TransactionalOperator.create(
                        manager, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW))
                .transactional(Mono.empty());
        TransactionalOperator.create(manager).transactional(raise.then(inside)).block(Duration.ofMinutes(1));
        assertThat(order).containsExactly("a", "b", "c", "d", "e", "f", "a", "b", "c", "d", "e", "f");
    }

    private void endAtTheSecond(FenceGrant grant) {
        if (raised.incrementAndGet() == 2) {
            try {
                DataSourceUtils.getConnection(database.dataSource()).rollback();
            } catch (SQLException failure) {
                throw new IllegalStateException(failure);
            }
            throw new PessimisticLockingFailureException("deadlock");
        }
    }

    private void failAtTheSecond(FenceGrant grant) {
        if (raised.incrementAndGet() == 2) {
            throw new PessimisticLockingFailureException("waited for too long");
        }
    }

    private void timeOutAtTheSecond(FenceGrant grant) {
        if (raised.incrementAndGet() == 2) {
            throw new TransactionTimedOutException("the transaction's time is up");
        }
    }

    private static void inside(int propagation, Runnable work) {
        TransactionTemplate transaction = database.transaction();
        transaction.setPropagationBehavior(propagation);
        transaction.executeWithoutResult(status -> {
            work.run();
            if (propagation == TransactionDefinition.PROPAGATION_NESTED) {
                status.setRollbackOnly();
            }
        });
    }

    private static void write(int id) {
        database.jdbc().update("insert into written values (?)", id);
    }

    private static int written() {
        Integer count = database.jdbc().queryForObject("select count(*) from written", Integer.class);
        return count == null ? -1 : count;
    }
}
