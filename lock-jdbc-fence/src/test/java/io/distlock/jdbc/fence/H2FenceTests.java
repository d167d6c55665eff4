package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.Sequencer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

class H2FenceTests extends JdbcFenceContract {

    @Override
    Database start() {
        return Database.h2();
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
