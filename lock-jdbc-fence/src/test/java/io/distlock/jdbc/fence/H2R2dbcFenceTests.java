package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

class H2R2dbcFenceTests extends R2dbcFenceContract {

    @Override
    Database start() {
        return Database.h2();
    }

    /** Its connection is still there, and nobody would end what is begun on it. */
    @Test
    void aTransactionThatHasEndedIsNoneForItsLastCallbacks() {
        List<Boolean> during = new ArrayList<>();
        TransactionSynchronization callback = new TransactionSynchronization() {
            @Override
            public Mono<Void> afterCompletion(int status) {
                return fence.isInTransaction().doOnNext(during::add).then();
            }
        };
        in(TransactionSynchronizationManager.forCurrentTransaction()
                        .doOnNext(transaction -> transaction.registerSynchronization(callback))
                        .then())
                .block(PATIENCE);
        assertThat(during).containsExactly(false);
    }

    /** As over JDBC. */
    @Test
    void aKeyThatIsNewerThanTheSnapshotIsAConflictThatMayBeRepeated() {
        LockKey key = unique();
        // The driver does not pass the level of a transaction on.
        Mono<Void> snapshot = client.sql("set session characteristics as transaction isolation level serializable")
                .then()
                .then(client.sql("select token from distributed_lock_fence where lock_key = 'another'")
                        .then());
        Mono<Void> newer = Mono.fromRunnable(() -> database.jdbc()
                .update(
                        "insert into distributed_lock_fence values (?, 2, 'redis:lock', current_timestamp)",
                        TABLE.key(key)));
        assertThatExceptionOfType(CannotAcquireLockException.class)
                .isThrownBy(() -> in(snapshot.then(newer).then(fence.advance(exclusive(key, 3))))
                        .block(PATIENCE))
                .withMessageContaining("is newer than the transaction's snapshot: repeat the transaction");
    }
}
