package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;

/** Reactive transactions inside other ones: new ones, nested ones, and those of another database. */
class R2dbcFencedInnerTransactionTests extends R2dbcFencedTransactionFixture {

    @Test
    void aNewTransactionInsideOneThatIsFencedDoesNotWaitForItself() {
        outer.locked("1", inner.write("a", inner.writeInANewOne("b"))).block(PATIENCE);
        operator.transactional(outer.locked("1", inner.writeInANewOne("c"))).block(PATIENCE);
        assertThat(work()).isEqualTo(3);
    }

    @Test
    void onceTheOuterTransactionHasEndedTheNextOneIsFencedAgain() {
        assertStale(outer.locked(
                "1",
                inner.write("a", inner.writeInANewOne("b"))
                        .then(overtake("orders:1"))
                        .then(inner.writeInANewOne("c"))));
        assertThat(work()).isEqualTo(2);
    }

    @Test
    void aRollbackOfANestedTransactionDoesNotLoseTheFence() {
        operator.transactional(inner.nestedThatFails(outer.locked("1", Mono.empty()))
                        .onErrorComplete(UnsupportedOperationException.class)
                        .then(rows().doOnNext(rows -> assertThat(rows).isZero()))
                        .then(write("a")))
                .block(PATIENCE);
        assertThat(fence("orders:1")).isPositive();
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aRollbackOfANestedTransactionDoesNotLoseTheFenceOfAnOperatorThatIsNoBean() {
        unknown()
                .transactional(inner.nestedThatFails(outer.locked("1", Mono.empty()))
                        .onErrorComplete(UnsupportedOperationException.class)
                        .then(rows().doOnNext(rows -> assertThat(rows).isZero()))
                        .then(write("a")))
                .block(PATIENCE);
        assertThat(fence("orders:1")).isPositive();
    }

    @Test
    void aLockThatIsEnteredAgainAfterARollbackOfANestedTransactionIsFencedAgain() {
        DefaultTransactionDefinition savepoint =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED);
        TransactionalOperator nested =
                TransactionalOperator.create(context.getBean(ReactiveTransactionManager.class), savepoint);
        Mono<Void> failure = Mono.error(new UnsupportedOperationException());
        for (TransactionalOperator each : List.of(operator, unknown())) {
            for (Mono<Void> part : List.of(
                    inner.nestedThatFails(outer.locked("1", Mono.empty())),
                    nested.transactional(outer.locked("1", Mono.empty()).then(failure)))) {
                assertStale(each.transactional(part.onErrorComplete(UnsupportedOperationException.class)
                        .then(overtake("orders:1"))
                        .then(outer.locked("1", write("a")))));
                sql("delete from distributed_lock_fence").block(PATIENCE);
            }
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void aReadOnlyTransactionAroundItDoesNotExemptANewOne() {
        assertStale(outer.locked("1", inner.read(overtake("orders:1").then(inner.writeInANewOne("b")))));
        assertThat(work()).isZero();
    }

    @Test
    void transactionsOfAnotherDatabaseAreNotFenced() {
        TransactionalOperator elsewhere =
                TransactionalOperator.create(context.getBean("otherManager", ReactiveTransactionManager.class));
        overtake("orders:1").block(PATIENCE);
        elsewhere.transactional(outer.locked("1", Mono.empty())).block(PATIENCE);
        outer.locked("1", inner.elsewhere()).block(PATIENCE);
        assertStale(elsewhere.transactional(outer.locked("1", inner.write("a"))));
    }

    /** Made by hand, as one that is no bean. */
    private static TransactionalOperator unknown() {
        return TransactionalOperator.create(context.getBean(ReactiveTransactionManager.class));
    }
}
