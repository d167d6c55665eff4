package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockKey;
import io.distlock.fencing.StaleFencingTokenException;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.Ordered;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** What is known of a transaction's rows before and after its commit, and beside those of another fence. The test answers. */
class LockedRowsTests {

    private static final FenceTable TABLE = new FenceTable(FenceTable.DEFAULT_NAME, "lock");
    private static final FenceGrant GRANT = FenceGrant.of(FenceFixture.exclusive(LockKey.of("a"), 1), TABLE, "redis");
    private static final TransactionDefinition ANEW =
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

    private static Database database;
    private static JdbcTransactionManager blocking;
    private static ConnectionFactory connections;
    private static R2dbcTransactionManager manager;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final LockedRows rows = new LockedRows(grant -> raise("locked"), FenceSql.H2);
    private final ReactiveLockedRows reactiveRows =
            new ReactiveLockedRows(grant -> Mono.fromRunnable(() -> raise("locked")), FenceSql.H2);

    /** What the next statement fails with. */
    private final List<RuntimeException> failures = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void open() {
        database = Database.h2();
        blocking = new JdbcTransactionManager(database.dataSource());
        connections = database.connections();
        manager = new R2dbcTransactionManager(connections);
        database.jdbc().execute("create table written (id int)");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private static boolean isOfItsRow(FenceGrant grant) {
        return grant.key().equals(GRANT.key());
    }

    private void raise(String event) {
        events.add(event);
        if (!failures.isEmpty()) {
            throw failures.remove(0);
        }
    }

    private static void in(TransactionDefinition definition, Runnable work) {
        new TransactionTemplate(blocking, definition).executeWithoutResult(status -> work.run());
    }

    private static void in(Runnable work) {
        in(new DefaultTransactionDefinition(), work);
    }

    private static void block(Mono<Void> work) {
        reactively(new DefaultTransactionDefinition(), work).block(Duration.ofMinutes(1));
    }

    private static Mono<Void> reactively(TransactionDefinition definition, Mono<Void> work) {
        return TransactionalOperator.create(manager, definition).transactional(work);
    }

    private static Mono<org.springframework.transaction.reactive.TransactionSynchronizationManager> current() {
        return org.springframework.transaction.reactive.TransactionSynchronizationManager.forCurrentTransaction();
    }

    private Mono<Void> raise(ReactiveLockedRows fence) {
        return current().flatMap(transaction -> fence.raise(transaction, GRANT));
    }

    // --- before the commit ---

    /** What commits by itself in the application's callback frees the row. */
    @Test
    void rowsAreLockedAgainAfterTheCallbacksOfTheApplication() {
        in(() -> {
            rows.raise(GRANT);
            TransactionSynchronizationManager.registerSynchronization(
                    new Callback(() -> events.add("callback"), () -> {}));
        });
        assertThat(events).containsExactly("locked", "callback", "locked");
    }

    @Test
    void rowsOfAReactiveTransactionAreLockedAgainAfterTheCallbacksOfTheApplication() {
        block(raise(reactiveRows)
                .then(current()
                        .doOnNext(transaction -> transaction.registerSynchronization(
                                new ReactiveCallback(Mono.fromRunnable(() -> events.add("callback")), Mono.empty()))))
                .then());
        assertThat(events).containsExactly("locked", "callback", "locked");
    }

    /** Spring would take the failure for one of the commit itself, and not roll back. */
    @Test
    void aTransactionWhoseTimeIsUpBeforeItsCommitIsRolledBack() {
        assertThatIllegalStateException()
                .isThrownBy(() -> in(() -> {
                    rows.raise(GRANT);
                    database.jdbc().update("insert into written values (1)");
                    failures.add(new TransactionTimedOutException("the transaction's time is up"));
                }))
                .withMessageContaining("could not be checked before its commit");
        assertNothingIsWritten();
    }

    @Test
    void aReactiveTransactionWhoseTimeIsUpBeforeItsCommitIsRolledBack() {
        assertThatIllegalStateException()
                .isThrownBy(() -> block(raise(reactiveRows)
                        .then(DatabaseClient.create(connections)
                                .sql("insert into written values (1)")
                                .then())
                        .then(Mono.fromRunnable(
                                () -> failures.add(new TransactionTimedOutException("the transaction's time is up"))))))
                .withMessageContaining("could not be checked before its commit");
        assertNothingIsWritten();
    }

    private static void assertNothingIsWritten() {
        assertThat(database.jdbc().queryForList("select id from written")).isEmpty();
    }

    // --- after the commit ---

    /** Whoever was registered before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionThatACallbackBeginsAfterTheCommitReliesOnNothingOfTheOneThatHasEnded(boolean refused) {
        in(() -> {
            TransactionSynchronizationManager.registerSynchronization(new Callback(() -> {}, () -> {
                events.clear();
                in(ANEW, () -> {
                    assertThat(rows.contains(GRANT)).isFalse();
                    assertThat(rows.isSuspended(LockedRowsTests::isOfItsRow)).isFalse();
                    assertThat(rows.isInDoubt(LockedRowsTests::isOfItsRow)).isFalse();
                    events.add("asked");
                });
            }));
            if (refused) {
                failures.add(new StaleFencingTokenException(GRANT.sequencer(), "by the test"));
                assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> rows.raise(GRANT));
            } else {
                rows.raise(GRANT);
            }
        });
        assertThat(events).containsExactly("asked");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReactiveTransactionThatACallbackBeginsAfterTheCommitReliesOnNothingOfTheOneThatHasEnded(boolean refused) {
        Mono<Void> asking = current()
                .doOnNext(inner -> {
                    assertThat(reactiveRows.contains(inner, GRANT)).isFalse();
                    assertThat(reactiveRows.isSuspended(inner, LockedRowsTests::isOfItsRow))
                            .isFalse();
                    assertThat(reactiveRows.isInDoubt(inner, LockedRowsTests::isOfItsRow))
                            .isFalse();
                    events.add("asked");
                })
                .then();
        if (refused) {
            failures.add(new StaleFencingTokenException(GRANT.sequencer(), "by the test"));
        }
        block(current()
                .doOnNext(transaction -> transaction.registerSynchronization(new ReactiveCallback(
                        Mono.empty(), Mono.fromRunnable(events::clear).then(reactively(ANEW, asking)))))
                .then(raise(reactiveRows).onErrorComplete(StaleFencingTokenException.class)));
        assertThat(events).containsExactly("asked");
    }

    // --- two fences in one transaction, each of a database of its own ---

    @Test
    void aFenceDoesNotRelyOnTheRowsOfAnother() {
        LockedRows others = new LockedRows(grant -> raise("locked by the other"), FenceSql.H2);
        in(() -> {
            rows.raise(GRANT);
            assertThat(others.contains(GRANT)).isFalse();
            others.raise(GRANT);
            assertThat(events).containsExactly("locked", "locked by the other");
            in(ANEW, () -> {
                assertThat(rows.contains(GRANT)).isTrue();
                assertThat(others.contains(GRANT)).isTrue();
            });
        });
    }

    @Test
    void aReactiveFenceDoesNotRelyOnTheRowsOfAnother() {
        ReactiveLockedRows others =
                new ReactiveLockedRows(grant -> Mono.fromRunnable(() -> raise("locked by the other")), FenceSql.H2);
        block(raise(reactiveRows)
                .then(raise(others))
                .then(Mono.fromRunnable(() -> assertThat(events).containsExactly("locked", "locked by the other")))
                .then(reactively(
                        ANEW,
                        current()
                                .doOnNext(inner -> {
                                    assertThat(reactiveRows.contains(inner, GRANT))
                                            .isTrue();
                                    assertThat(others.contains(inner, GRANT)).isTrue();
                                })
                                .then())));
    }

    /** With an order, as those of an ORM that writes then. */
    private record Callback(Runnable before, Runnable after) implements TransactionSynchronization {

        @Override
        public int getOrder() {
            return 0;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            before.run();
        }

        @Override
        public void afterCommit() {
            after.run();
        }
    }

    private record ReactiveCallback(Mono<Void> before, Mono<Void> after)
            implements org.springframework.transaction.reactive.TransactionSynchronization, Ordered {

        @Override
        public int getOrder() {
            return 0;
        }

        @Override
        public Mono<Void> beforeCommit(boolean readOnly) {
            return before;
        }

        @Override
        public Mono<Void> afterCommit() {
            return after;
        }
    }
}
