package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.LockKey;
import io.distlock.fencing.StaleFencingTokenException;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** What a fence does on each database. */
abstract class JdbcFenceContract extends JdbcFenceInnerContract {

    private static final int TRANSACTIONS = 20;

    @Test
    void aLargerTokenAndTheSameAgainAreAccepted() {
        LockKey key = unique();
        advance(key, 7);
        advance(key, 7);
        advance(key, 8);
        assertThat(token(key)).isEqualTo(8);
    }

    @Test
    void aSmallerTokenIsRefusedAndItsTransactionRolledBack() {
        LockKey key = unique();
        advance(key, 8);
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> advance(key, 7))
                .withMessage("lock '" + key + "' (token 7) is stale: the database has seen token 8");
        assertThat(token(key)).isEqualTo(8);
    }

    @Test
    void keysThatDifferInCaseOrAccentAreDifferent() {
        String name = UUID.randomUUID().toString();
        advance(LockKey.of(name, "e"), 9);
        advance(LockKey.of(name, "E"), 1);
        advance(LockKey.of(name, "é"), 2);
        assertThat(token(LockKey.of(name, "e"))).isEqualTo(9);
    }

    @Test
    void theLongestKeysAreTold() {
        String name = "ü".repeat(256);
        LockKey one = LockKey.of(name, "{".repeat(512));
        LockKey other = LockKey.of(name, "{".repeat(511) + "}");
        advance(one, 5);
        advance(other, 3);
        assertThat(catchThrowable(() -> advance(one, 4))).isInstanceOf(StaleFencingTokenException.class);
    }

    @Test
    void aRefusedTransactionThatIsRolledBackLeavesTheRowAsItWas() {
        LockKey key = unique();
        database.transaction().executeWithoutResult(status -> {
            fence.advance(exclusive(key, 5));
            status.setRollbackOnly();
        });
        advance(key, 4);
        assertThat(token(key)).isEqualTo(4);
    }

    @Test
    void aSharedLockIsCheckedButDoesNotAdvance() {
        LockKey key = unique();
        in(() -> fence.advance(shared(key, 4)));
        assertThat(rows(key)).isZero();
        advance(key, 5);
        in(() -> fence.advance(shared(key, 6)));
        assertThat(token(key)).isEqualTo(5);
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> in(() -> fence.advance(shared(key, 4))));
    }

    @Test
    void aReadOnlyTransactionIsCheckedButDoesNotAdvance() {
        LockKey key = unique();
        advance(key, 5);
        TransactionTemplate readOnly = database.transaction();
        readOnly.setReadOnly(true);
        readOnly.executeWithoutResult(status -> fence.advance(exclusive(key, 6)));
        assertThat(token(key)).isEqualTo(5);
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> readOnly.executeWithoutResult(status -> fence.advance(exclusive(key, 4))));
    }

    @Test
    void tokensOfAnotherProviderAreNotCompared() {
        LockKey key = unique();
        advance(key, 5);
        assertThatIllegalStateException()
                .isThrownBy(() -> in(() -> fence.advance("etcd", exclusive(key, 6))))
                .withMessageContaining("from 'redis:lock', which")
                .withMessageContaining("those from 'etcd:lock'")
                .withMessageContaining("delete the rows with provider =");
        assertThatIllegalStateException().isThrownBy(() -> in(() -> fence.advance("etcd", shared(key, 6))));
        assertThat(token(key)).isEqualTo(5);
    }

    /** Their locks are not the same, though they have one name. */
    @Test
    void twoApplicationsWithDifferentKeyPrefixesShareTheTable() {
        LockKey key = unique();
        JdbcFence other =
                new JdbcFence(database.dataSource(), new FenceTable(FenceTable.DEFAULT_NAME, "other"), "redis");
        advance(key, 5);
        in(() -> other.advance(exclusive(key, 3)));
        assertThat(token(key)).isEqualTo(5);
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> in(() -> other.advance(exclusive(key, 2))));
    }

    @Test
    void outsideOfATransactionItRefusesToWork() {
        assertThatIllegalStateException()
                .isThrownBy(() -> fence.advance(exclusive(unique(), 1)))
                .withMessageContaining("outside a transaction");
    }

    @Test
    void aTransactionCostsOneStatementAndOneMoreWhereOthersCommitImplicitly() {
        LockKey key = unique();
        advance(key, 1);
        database.jdbc().execute("create table work (done int)");
        Runnable work = () -> database.jdbc().update("insert into work values (1)");
        long plain = statementsOf(() -> in(work));
        long fenced = statementsOf(() -> in(() -> {
            fence.advance(exclusive(key, 2));
            work.run();
        }));
        // Rounded: the end of an earlier connection may also be counted.
        assertThat(Math.round((fenced - plain) / (double) TRANSACTIONS)).isEqualTo(database.fencingStatements());
    }

    private long statementsOf(Runnable transaction) {
        long before = database.statements();
        for (int i = 0; i < TRANSACTIONS; i++) {
            transaction.run();
        }
        return database.statements() - before;
    }

    @Test
    void verifyingLeavesNothingBehind() {
        fence.verify();
        assertThat(database.jdbc()
                        .queryForObject(
                                "select count(*) from distributed_lock_fence where lock_key = '{probe}'", Long.class))
                .isZero();
    }

    @Test
    void verifyingInsideATransactionLeavesItToBeCommitted() {
        LockKey key = unique();
        in(() -> {
            fence.advance(exclusive(key, 1));
            fence.verify();
        });
        assertThat(token(key)).isEqualTo(1);
    }

    @Test
    void aMissingTableIsNamed() {
        JdbcFence elsewhere = new JdbcFence(database.dataSource(), new FenceTable("nowhere", "lock"), "redis");
        assertThatIllegalStateException()
                .isThrownBy(elsewhere::verify)
                .withMessageContaining("table nowhere")
                .withMessageContaining("initialize-schema");
    }
}
