package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions inside other ones: new ones, those after a savepoint, and those of another data source. */
class FencedInnerTransactionTests extends FencedTransactionFixture {

    @Test
    void aRefusedInnerTransactionLeavesTheOuterOneUsable() {
        transaction().executeWithoutResult(status -> {
            jdbc.update("insert into work values ('a')");
            assertStale(() -> inner.outsideOfTransactions(() -> outer.locked("1", () -> {
                overtake("orders:1");
                inner.write("b");
            })));
            jdbc.update("insert into work values ('c')");
        });
        assertThat(runs).isZero();
        assertThat(work()).isEqualTo(2);
    }

    @Test
    void aNewTransactionInsideOneThatIsFencedDoesNotWaitForItself() {
        outer.locked("1", () -> inner.write("a", () -> inner.writeInANewOne("b")));
        transaction().executeWithoutResult(status -> outer.locked("1", () -> inner.writeInANewOne("c")));
        assertThat(work()).isEqualTo(3);
    }

    @Test
    void onceTheOuterTransactionHasEndedTheNextOneIsFencedAgain() {
        assertStale(() -> outer.locked("1", () -> {
            inner.write("a", () -> inner.writeInANewOne("b"));
            overtake("orders:1");
            inner.writeInANewOne("c");
        }));
        assertThat(work()).isEqualTo(2);
    }

    @Test
    void aRollbackToASavepointDoesNotLoseTheFence() {
        transaction().executeWithoutResult(status -> {
            Object savepoint = status.createSavepoint();
            outer.locked("1", () -> {});
            status.rollbackToSavepoint(savepoint);
            assertThat(rows()).isZero();
            jdbc.update("insert into work values ('a')");
        });
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void aReadOnlyTransactionAroundItDoesNotExemptANewOne() {
        outer.locked("1", () -> inner.read(() -> inner.writeInANewOne("a")));
        assertThat(rows()).isEqualTo(1);
        assertStale(() -> outer.locked(
                "1",
                () -> inner.read(() -> {
                    overtake("orders:1");
                    inner.writeInANewOne("b");
                })));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aNewTransactionAfterARollbackToASavepointDoesNotWaitForItself() {
        outer.locked(
                "1",
                () -> transaction().executeWithoutResult(status -> {
                    Object savepoint = status.createSavepoint();
                    status.rollbackToSavepoint(savepoint);
                    inner.writeInANewOne("a");
                }));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aNewTransactionAfterTheCommitIsFenced() {
        assertStale(() -> outer.locked("1", () -> {
            RuntimeException[] refusal = new RuntimeException[1];
            transaction()
                    .executeWithoutResult(status ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void afterCommit() {
                                    overtake("orders:1");
                                    try {
                                        inner.writeInANewOne("a");
                                    } catch (RuntimeException stale) {
                                        refusal[0] = stale;
                                    }
                                }
                            }));
            if (refusal[0] != null) {
                throw refusal[0];
            }
        }));
        assertThat(work()).isZero();
    }

    @Test
    void transactionsOfAnotherDataSourceAreNotFenced() {
        overtake("orders:1");
        outer.locked(
                "1",
                () -> new TransactionTemplate(context.getBean("others", PlatformTransactionManager.class))
                        .executeWithoutResult(status -> assertThat(rows()).isEqualTo(1)));
    }

    @Test
    void insideATransactionOfAnotherDataSourceEachOneIsFenced() {
        assertStale(() -> outer.locked(
                "1",
                () -> others().executeWithoutResult(status -> {
                    inner.write("a");
                    overtake("orders:1");
                    inner.write("b");
                })));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aTransactionThatHasEndedInsideASuspendedOneOfAnotherDataSourceExemptsNobody() {
        TransactionTemplate anew = others();
        anew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        assertStale(() -> outer.locked(
                "1",
                () -> others().executeWithoutResult(status -> {
                    inner.write("a");
                    overtake("orders:1");
                    anew.executeWithoutResult(suspending -> inner.write("b"));
                })));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aLockThatIsKeptByATransactionOfAnotherDataSourceFencesEachOneInside() {
        others().executeWithoutResult(status -> {
            FencingToken token = outer.locked("1", () -> inner.write("a"));
            assertThat(fence("orders:1")).isEqualTo(token.value());
            overtake("orders:1");
            assertStale(() -> inner.write("b"));
            assertStale(() -> outer.locked("1", () -> inner.write("c")));
            assertStale(() -> transaction().executeWithoutResult(inside -> outer.locked("1", () -> {})));
        });
        assertThat(work()).isEqualTo(1);
    }

    /** It would wait for the row that the suspended one has advanced. */
    @Test
    void aNewTransactionInsideOneThatKeepsALockIsNotHeldUpByIt() {
        transaction().executeWithoutResult(status -> {
            outer.locked("1", () -> inner.write("a"));
            inner.writeInANewOne("b");
        });
        assertThat(work()).isEqualTo(2);
    }
}
