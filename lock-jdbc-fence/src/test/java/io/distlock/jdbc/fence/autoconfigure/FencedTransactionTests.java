package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.FencingToken;
import io.distlock.spring.template.LockTemplate;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transactions under annotated locks, with a fence. */
class FencedTransactionTests extends FencedTransactionFixture {

    @Test
    void aTransactionBegunUnderALockAdvancesTheFence() {
        FencingToken token = outer.locked("1", () -> inner.write("a"));
        assertThat(fence("orders:1")).isEqualTo(token.value());
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aStaleHoldersMethodIsNotRun() {
        assertStale(() -> outer.locked("1", () -> {
            overtake("orders:1");
            inner.write("a");
        }));
        assertThat(runs).isZero();
        assertThat(work()).isZero();
    }

    @Test
    void whatAStaleHolderDoesInATransactionTemplateIsRolledBack() {
        assertStale(() -> outer.locked("1", () -> {
            overtake("orders:1");
            transaction().executeWithoutResult(status -> jdbc.update("insert into work values ('a')"));
        }));
        assertThat(work()).isZero();
    }

    @Test
    void aLockTakenInATransactionAdvancesTheFenceBeforeItsBody() {
        transaction().executeWithoutResult(status -> {
            FencingToken token = outer.locked("1", () -> assertThat(rows()).isEqualTo(1));
            assertThat(fence("orders:1")).isEqualTo(token.value());
        });
    }

    @Test
    void aStaleLockTakenInATransactionDoesNotRunItsBody() {
        overtake("orders:1");
        transaction().executeWithoutResult(status -> {
            jdbc.update("insert into work values ('a')");
            assertStale(() -> outer.locked("1", () -> inner.write("b")));
            status.setRollbackOnly();
        });
        assertThat(runs).isZero();
    }

    @Test
    void aTransactionThatHasIgnoredTheRefusalDoesNotCommit() {
        overtake("orders:1");
        assertStale(() -> transaction().executeWithoutResult(status -> {
            jdbc.update("insert into work values ('a')");
            assertStale(() -> outer.locked("1", () -> {}));
        }));
        assertThat(work()).isZero();
    }

    @Test
    void aTransactionThatTimesOutAtTheFenceIsNotCommitted() {
        overtake("orders:1");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> transaction().executeWithoutResult(status -> {
                    jdbc.update("insert into work values ('a')");
                    assertStale(() -> outer.locked("1", () -> {}));
                    connection().setTimeoutInMillis(0);
                }))
                .withMessageContaining("could not be checked before its commit");
        assertThat(work()).isZero();
    }

    /** That of the transaction that is under way. */
    private static ConnectionHolder connection() {
        return (ConnectionHolder) Objects.requireNonNull(
                TransactionSynchronizationManager.getResource(context.getBean(DataSource.class)));
    }

    @Test
    void aReadOnlyTransactionIsOnlyChecked() {
        outer.locked("1", () -> inner.read());
        assertThat(rows()).isZero();
        assertStale(() -> outer.locked("1", () -> {
            overtake("orders:1");
            inner.read();
        }));
        assertThat(runs).isEqualTo(1);
    }

    @Test
    void sharedLocksAreOnlyChecked() {
        outer.shared("1", () -> inner.write("a"));
        assertThat(rows()).isZero();
        assertStale(() -> outer.shared("1", () -> {
            overtake("orders:1");
            inner.write("b");
        }));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void locksOfATemplateAreFenced() {
        LockTemplate locks = context.getBean(LockTemplate.class);
        assertStale(() -> locks.lock("orders", "1").run(() -> {
            overtake("orders:1");
            inner.write("a");
        }));
        assertThat(runs).isZero();
    }

    @Test
    void eachOfSeveralLocksAdvancesTheFence() {
        outer.locked("1", () -> outer.locked("2", () -> inner.write("a")));
        assertThat(fence("orders:1")).isPositive();
        assertThat(fence("orders:2")).isPositive();
    }

    @Test
    void aTransactionWithoutALockCostsNothing() {
        inner.write("a");
        assertThat(rows()).isZero();
    }

    @Test
    void aTransactionUnderALockCostsTwoStatements() {
        jdbc.execute("set query_statistics true");
        try {
            outer.locked("1", () -> {
                inner.write("a");
                inner.write("b");
            });
            assertThat(jdbc.queryForObject(
                            "select sum(execution_count) from information_schema.query_statistics"
                                    + " where lower(sql_statement) like '%distributed_lock_fence%'",
                            Long.class))
                    .isEqualTo(4);
        } finally {
            jdbc.execute("set query_statistics false");
        }
    }
}
