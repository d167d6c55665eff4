package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.LockKey;
import io.distlock.fencing.StaleFencingTokenException;
import java.sql.Connection;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What a fence does in transactions inside others, which are suspended. */
abstract class JdbcFenceInnerContract extends JdbcFenceWaitContract {

    @Test
    void anInnerTransactionDoesNotWaitForTheRowOfTheOuterOne() {
        LockKey key = unique();
        in(() -> {
            fence.advance(exclusive(key, 1));
            inANewOne(() -> fence.advance(exclusive(key, 1)));
            fence.advance(exclusive(key, 1));
        });
        assertThat(token(key)).isEqualTo(1);
    }

    @Test
    void anInnerTransactionWithALaterGrantIsRefusedBeforeItWaitsForTheOuterOne() {
        LockKey key = unique();
        in(() -> {
            fence.advance(exclusive(key, 1));
            assertThatIllegalStateException()
                    .isThrownBy(() -> inANewOne(() -> fence.advance(exclusive(key, 2))))
                    .withMessageContaining("would wait for that one for ever");
        });
        assertThat(token(key)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onceTheOuterTransactionHasEndedTheNextOneIsFencedAgain(boolean committed) {
        LockKey key = unique();
        database.transaction().executeWithoutResult(status -> {
            fence.advance(exclusive(key, 5));
            inANewOne(() -> fence.advance(exclusive(key, 5)));
            if (!committed) {
                status.setRollbackOnly();
            }
        });
        run(() -> advance(key, 6)).join();
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> advance(key, 5));
    }

    /** As where locks are released before the transaction ends. */
    @Test
    void aTransactionMayUseALockThatIsAcquiredAgain() {
        LockKey key = unique();
        in(() -> {
            fence.advance(exclusive(key, 1));
            fence.advance(exclusive(key, 2));
            inANewOne(() -> fence.advance(exclusive(key, 2)));
            assertThatExceptionOfType(StaleFencingTokenException.class)
                    .isThrownBy(() -> fence.advance(exclusive(key, 1)));
        });
        assertThat(token(key)).isEqualTo(2);
    }

    @Test
    void aLockThatIsUsedAgainAfterARollbackToASavepointIsFencedAgain() {
        LockKey key = unique();
        in(() -> {
            propagation(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                fence.advance(exclusive(key, 5));
                nested.setRollbackOnly();
            });
            fence.advance(exclusive(key, 5));
        });
        assertThat(token(key)).isEqualTo(5);
    }

    /** As where locks are released before the transaction ends: another has the lock, and may have written. */
    @Test
    void aLockThatWasOnlyUsedInWhatIsRolledBackToASavepointMayBeTakenByOthers() throws Exception {
        LockKey key = unique();
        LockKey own = unique();
        run(() -> in(() -> {
                    fence.advance(exclusive(own, 1));
                    propagation(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                        fence.advance(exclusive(key, 5));
                        fence.advance(exclusive(own, 2));
                        nested.setRollbackOnly();
                    });
                    run(() -> advance(key, 6)).join();
                    inANewOne(() -> fence.advance(exclusive(own, 1)));
                    if (!database.keepsRowsAfterSavepoint()) {
                        inANewOne(() -> fence.advance(exclusive(key, 7)));
                    }
                }))
                .get(30, TimeUnit.SECONDS);
        assertThat(token(key)).isBetween(6L, 7L);
        assertThat(token(own)).isEqualTo(1);
    }

    /** An earlier grant of the lock was refused, since a later one of the same transaction was there before. */
    @Test
    void aRefusalBecauseOfWhatIsRolledBackIsForgotten() {
        LockKey key = unique();
        in(() -> {
            propagation(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                fence.advance(exclusive(key, 4));
                assertThatExceptionOfType(StaleFencingTokenException.class)
                        .isThrownBy(() -> fence.advance(exclusive(key, 2)));
                nested.setRollbackOnly();
            });
            fence.advance(exclusive(key, 2));
            inANewOne(() -> fence.advance(exclusive(key, 2)));
        });
        assertThat(token(key)).isEqualTo(2);
    }

    @Test
    void aGrantThatIsRefusedAsItsTransactionIsSuspendedIsNotBelievedAfterwards() {
        LockKey key = unique();
        database.transaction().executeWithoutResult(status -> {
            fence.advance(exclusive(key, 1));
            commitByHand();
            run(() -> advance(key, 2)).join();
            inANewOne(() -> {});
            assertThatExceptionOfType(StaleFencingTokenException.class)
                    .isThrownBy(() -> fence.advance(exclusive(key, 1)));
            status.setRollbackOnly();
        });
        assertThat(token(key)).isEqualTo(2);
    }

    /** The row is free by then. */
    @Test
    void aTransactionThatACallbackBeginsAfterTheCommitIsFencedByItself() {
        LockKey key = unique();
        in(() -> {
            fence.advance(exclusive(key, 1));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    run(() -> advance(key, 2)).join();
                    assertThatExceptionOfType(StaleFencingTokenException.class)
                            .isThrownBy(() -> inANewOne(() -> fence.advance(exclusive(key, 1))));
                }
            });
        });
        assertThat(token(key)).isEqualTo(2);
    }

    /** PostgreSQL refuses all further statements until the rollback to the savepoint, but keeps the row locked. */
    @Test
    void anInnerTransactionDoesNotWaitForANestedOneThatHasFailed() throws Exception {
        LockKey key = unique();
        run(() -> in(() -> {
                    fence.advance(exclusive(key, 1));
                    propagation(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                        nested.setRollbackOnly();
                        assertThatExceptionOfType(BadSqlGrammarException.class)
                                .isThrownBy(() -> database.jdbc().execute("nonsense"));
                        assertDoesNotWait(key, 1);
                    });
                    assertDoesNotWait(key, 1);
                }))
                .get(30, TimeUnit.SECONDS);
        assertThat(token(key)).isEqualTo(1);
    }

    @Test
    void anInnerTransactionIsFencedByItselfIfTheOuterOneHasFailedAndSoLostItsRow() {
        LockKey key = unique();
        database.transaction().executeWithoutResult(status -> {
            fence.advance(exclusive(key, 1));
            status.setRollbackOnly();
            assertThatExceptionOfType(BadSqlGrammarException.class)
                    .isThrownBy(() -> database.jdbc().execute("nonsense"));
            inANewOne(() -> fence.advance(exclusive(key, 1)));
        });
        run(() -> advance(key, 2)).join();
        assertThat(token(key)).isEqualTo(2);
    }

    /** On MariaDB, the transaction goes on, with the row of the one lock. */
    @Test
    void anInnerTransactionDoesNotWaitForAnOuterOneThatHasWaitedTooLongForAnotherRow() throws Exception {
        LockKey key = unique();
        LockKey other = unique();
        try (Held earlier = new Held(other, 5)) {
            run(() -> assertEnds(() -> in(() -> {
                        database.shortenLockTimeout();
                        fence.advance(exclusive(key, 1));
                        assertThatExceptionOfType(CannotAcquireLockException.class)
                                .isThrownBy(() -> fence.advance(exclusive(other, 6)));
                        assertDoesNotWait(key, 1);
                    })))
                    .get(30, TimeUnit.SECONDS);
            earlier.commit();
        } finally {
            database.closeConnections();
        }
        advance(key, 2);
    }

    /** The first row is locked anew as the transaction is suspended, the second one cannot be. */
    @Test
    void anInnerTransactionDoesNotWaitForAnOuterOneThatHasLostSomeOfItsRows() throws Exception {
        LockKey lost = LockKey.of("b", unique().text());
        LockKey kept = LockKey.of("a", unique().text());
        try {
            run(() -> assertEnds(() -> in(() -> {
                        fence.advance(exclusive(kept, 1));
                        fence.advance(exclusive(lost, 1));
                        commitByHand();
                        database.shortenLockTimeout();
                        try (Held later = new Held(lost, 2)) {
                            assertDoesNotWait(kept, 1);
                            assertDoesNotWait(kept, 2);
                            later.rollback();
                        }
                    })))
                    .get(30, TimeUnit.SECONDS);
        } finally {
            database.closeConnections();
        }
        advance(kept, 3);
    }

    /** Whether the database lets it in depends on what it has kept of the outer one. */
    private void assertDoesNotWait(LockKey key, long token) {
        Throwable refusal = catchThrowable(() -> inANewOne(() -> fence.advance(exclusive(key, token))));
        if (refusal != null) {
            assertThat(refusal).isInstanceOfAny(CannotAcquireLockException.class, IllegalStateException.class);
        }
    }

    /** Somehow: the pool closes a connection of H2 whose statement has timed out, and PostgreSQL does not commit then. */
    private static void assertEnds(Runnable transaction) {
        Throwable end = catchThrowable(transaction::run);
        assertThat(end instanceof AssertionError).as("%s", end).isFalse();
    }

    private void commitByHand() {
        Connection connection = DataSourceUtils.getConnection(database.dataSource());
        assertThatNoException().isThrownBy(connection::commit);
    }

    private void inANewOne(Runnable work) {
        propagation(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(status -> work.run());
    }

    private TransactionTemplate propagation(int behavior) {
        TransactionTemplate transaction = database.transaction();
        transaction.setPropagationBehavior(behavior);
        return transaction;
    }
}
