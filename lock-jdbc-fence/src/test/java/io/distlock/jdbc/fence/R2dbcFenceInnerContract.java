package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.LockKey;
import io.distlock.fencing.StaleFencingTokenException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.r2dbc.BadSqlGrammarException;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What a fence does in reactive transactions inside others, which are suspended. */
abstract class R2dbcFenceInnerContract extends R2dbcFenceWaitContract {

    private final TransactionDefinition anew =
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

    @Test
    void aNewTransactionInsideDoesNotWaitForTheRowOfTheOuterOne() {
        LockKey key = unique();
        in(fence.advance(exclusive(key, 1))
                        .then(in(anew, fence.advance(exclusive(key, 1))))
                        .then(fence.advance(exclusive(key, 1))))
                .block(PATIENCE);
        assertThat(token(key)).isEqualTo(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> in(fence.advance(exclusive(key, 2)).then(in(anew, fence.advance(exclusive(key, 3)))))
                        .block(PATIENCE))
                .withMessageContaining("would wait for that one for ever");
        assertThat(token(key)).isEqualTo(1);
    }

    /** It would wait for itself on the databases that leave its row locked. */
    @Test
    void aRefusalInsideATransactionIsOneForANewTransactionInsideThatDoesNotWait() {
        LockKey key = unique();
        advance(key, 8);
        Mono<Void> refused = fence.advance(exclusive(key, 7));
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> in(refused.onErrorComplete(StaleFencingTokenException.class)
                                .then(in(anew, refused)))
                        .block(PATIENCE));
        advance(key, 9);
    }

    /** In a transaction of another database, which they share what is known with. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onceTheOuterTransactionHasEndedTheNextOneIsFencedAgain(boolean committed) {
        LockKey key = unique();
        Mono<Void> mine = fence.advance(exclusive(key, 5));
        Mono<Void> end = committed ? Mono.empty() : Mono.error(new UnsupportedOperationException());
        TransactionalOperator elsewhere =
                TransactionalOperator.create(new R2dbcTransactionManager(new CountedConnections()));
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> elsewhere
                        .transactional(in(mine.then(in(anew, mine)).then(end))
                                .onErrorComplete(UnsupportedOperationException.class)
                                .then(Mono.fromFuture(() ->
                                        in(fence.advance(exclusive(key, 6))).toFuture()))
                                .then(in(mine)))
                        .block(PATIENCE));
    }

    /** As where locks are released before the transaction ends. */
    @Test
    void aTransactionMayUseALockThatIsAcquiredAgain() {
        LockKey key = unique();
        Mono<Void> later = fence.advance(exclusive(key, 2));
        in(fence.advance(exclusive(key, 1)).then(later).then(in(anew, later))).block(PATIENCE);
        assertThat(token(key)).isEqualTo(2);
    }

    /** An earlier grant of the lock was refused, since a later one of the same transaction was there before. */
    @Test
    void aRefusalBecauseOfWhatIsRolledBackIsForgotten() {
        LockKey key = unique();
        Mono<Void> mine = fence.advance(exclusive(key, 2));
        AtomicBoolean refused = new AtomicBoolean();
        Mono<Void> part = fence.advance(exclusive(key, 4))
                .then(mine.doOnError(StaleFencingTokenException.class, refusal -> refused.set(true)));
        in(in(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED), part)
                        .onErrorComplete(StaleFencingTokenException.class)
                        .then(mine)
                        .then(in(anew, mine)))
                .block(PATIENCE);
        assertThat(refused).isTrue();
        assertThat(token(key)).isEqualTo(2);
    }

    /** PostgreSQL refuses all further statements until the rollback to the savepoint, but keeps the row locked. */
    @Test
    void anInnerTransactionDoesNotWaitForANestedOneThatHasFailed() {
        LockKey key = unique();
        Mono<Void> mine = fence.advance(exclusive(key, 1));
        AtomicBoolean failed = new AtomicBoolean();
        Mono<Void> inside = in(anew, mine).onErrorComplete(CannotAcquireLockException.class);
        Mono<Void> failing = client.sql("nonsense")
                .then()
                .doOnError(failure -> failed.set(true))
                .onErrorResume(BadSqlGrammarException.class, failure -> inside)
                .then(Mono.error(new UnsupportedOperationException()));
        in(mine.then(in(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED), failing)
                                .onErrorComplete(UnsupportedOperationException.class))
                        .then(inside))
                .block(PATIENCE);
        assertThat(failed).isTrue();
        assertThat(token(key)).isEqualTo(1);
    }

    /** The first row is locked anew as the transaction is suspended, the second one cannot be. */
    @Test
    void anInnerTransactionDoesNotWaitForAnOuterOneThatHasLostSomeOfItsRows() {
        LockKey lost = LockKey.of("b", unique().text());
        LockKey kept = LockKey.of("a", unique().text());
        Held[] later = new Held[1];
        Mono<Void> overtaken =
                Mono.<Void>fromRunnable(() -> later[0] = new Held(lost, 2)).subscribeOn(Schedulers.boundedElastic());
        Mono<Void> inside = in(anew, fence.advance(exclusive(kept, 1)))
                .onErrorComplete(CannotAcquireLockException.class)
                .then(in(anew, fence.advance(exclusive(kept, 2))))
                .onErrorComplete(CannotAcquireLockException.class)
                .onErrorComplete(IllegalStateException.class);
        Throwable end = catchThrowable(() -> in(fence.advance(exclusive(kept, 1))
                        .then(fence.advance(exclusive(lost, 1)))
                        .then(commitByHand())
                        .then(client.sql(database.shortLockTimeout()).then())
                        .then(overtaken)
                        .then(inside))
                .block(PATIENCE));
        later[0].commit();
        assertThat(String.valueOf(end)).doesNotContain("Timeout on blocking read");
        advance(kept, 3);
    }

    /** PostgreSQL's own commit of a transaction that goes on for Spring is followed by a new one. */
    private Mono<Void> commitByHand() {
        return client.sql("commit").then().then(client.sql("begin").then());
    }
}
