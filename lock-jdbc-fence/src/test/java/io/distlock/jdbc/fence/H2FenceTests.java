package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.distlock.LockKey;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class H2FenceTests extends JdbcFenceContract {

    @Override
    Database start() {
        return Database.h2();
    }

    /** The pool may say so, or the manager, as one that does not pass it on to the connection. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionThatOnlyItsConnectionOrItsManagerKnowsToBeReadOnlyDoesNotAdvance(boolean connection) {
        LockKey key = unique();
        advance(key, 5);
        in(() -> {
            if (connection) {
                Connection own = DataSourceUtils.getConnection(database.dataSource());
                assertThatNoException().isThrownBy(() -> own.setReadOnly(true));
            } else {
                TransactionSynchronizationManager.setCurrentTransactionReadOnly(true);
            }
            assertThat(fence.advance("redis", exclusive(key, 6))).isFalse();
            assertThatExceptionOfType(StaleFencingTokenException.class)
                    .isThrownBy(() -> fence.advance(exclusive(key, 4)));
        });
        assertThat(token(key)).isEqualTo(5);
    }

    /** Whoever has only compared a token need not do so again; a locked row may be freed by a rollback to a savepoint. */
    @Test
    void aRowThatIsLockedIsSaidToBeSoEachTimeAndOneThatIsComparedNever() {
        LockKey key = unique();
        in(() -> {
            for (int time = 0; time < 2; time++) {
                assertThat(fence.advance("redis", exclusive(key, 3))).isTrue();
                assertThat(fence.advance("redis", shared(unique(), 3))).isFalse();
            }
        });
    }

    /** Its statements commit one by one. */
    @Test
    void aConnectionThatTakesPartInATransactionOfAnotherDatabaseIsInNone() {
        LockKey key = unique();
        try (Database other = Database.h2()) {
            other.transaction().executeWithoutResult(status -> {
                database.jdbc().queryForList("select 1");
                assertThat(fence.isInTransaction()).isFalse();
                assertThatIllegalStateException()
                        .isThrownBy(() -> fence.advance(exclusive(key, 1)))
                        .withMessageContaining("begin one first");
            });
        }
        assertThat(rows(key)).isZero();
    }

    /** Spring does not end what such a connection begins. */
    @Test
    void aConnectionThatDoesNotCommitByItselfIsInNoTransactionUnlessSpringHasBegunOne() {
        LockKey key = unique();
        TransactionTemplate none = database.transaction();
        none.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
        none.executeWithoutResult(status -> {
            Connection own = DataSourceUtils.getConnection(database.dataSource());
            assertThatNoException().isThrownBy(() -> own.setAutoCommit(false));
            assertThat(fence.isInTransaction()).isFalse();
            assertThatIllegalStateException()
                    .isThrownBy(() -> fence.advance(exclusive(key, 1)))
                    .withMessageContaining("begin one first");
        });
        assertThat(rows(key)).isZero();
    }

    /** Its connection is still there, and nobody would end what is begun on it. */
    @Test
    void aTransactionThatHasEndedIsNoneForItsLastCallbacks() {
        LockKey key = unique();
        List<Boolean> during = new ArrayList<>();
        in(() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                during.add(fence.isInTransaction());
                assertThatIllegalStateException()
                        .isThrownBy(() -> fence.advance(exclusive(key, 1)))
                        .withMessageContaining("begin one first");
                during.add(false);
            }
        }));
        assertThat(during).containsExactly(false, false);
        assertThat(rows(key)).isZero();
    }

    @Test
    void aDataSourceThatTakesPartInTransactionsIsFencedAsTheOneBehindIt() {
        LockKey key = unique();
        JdbcFence behind = new JdbcFence(new TransactionAwareDataSourceProxy(database.dataSource()), TABLE, "redis");
        in(() -> {
            assertThat(behind.isInTransaction()).isTrue();
            behind.advance(exclusive(key, 3));
        });
        assertThat(token(key)).isEqualTo(3);
    }

    @Test
    void aDataSourceIsTheFencesBehindAnyNumberOfProxies() {
        DataSource proxy = new DelegatingDataSource(new DelegatingDataSource(database.dataSource()));
        assertThat(fence.isOf(proxy)).isTrue();
        assertThat(new JdbcFence(proxy, TABLE, "redis").isOf(database.dataSource()))
                .isTrue();
        assertThat(fence.isOf(new DelegatingDataSource())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE})
    void aKeyThatIsNewerThanTheSnapshotIsAConflictThatMayBeRepeated(int isolation) {
        Sequencer sequencer = exclusive(unique(), 3);
        TransactionTemplate other = database.transaction();
        other.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        TransactionTemplate transaction = database.transaction();
        transaction.setIsolationLevel(isolation);
        assertThatExceptionOfType(CannotAcquireLockException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    database.jdbc().queryForList("select token from distributed_lock_fence where lock_key = 'another'");
                    other.executeWithoutResult(inner -> database.jdbc()
                            .update(
                                    "insert into distributed_lock_fence values (?, 2, 'redis:lock', current_timestamp)",
                                    TABLE.key(sequencer.key())));
                    fence.advance(sequencer);
                }))
                .withMessageContaining("is newer than the transaction's snapshot: repeat the transaction");
    }
}
