package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockKey;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.r2dbc.spi.ConnectionFactory;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.r2dbc.connection.DelegatingConnectionFactory;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;

/** What a fence does in the reactive transactions of each database. */
abstract class R2dbcFenceContract extends R2dbcFenceInnerContract {

    private static final int TRANSACTIONS = 20;

    @Test
    void aLargerTokenAndTheSameAgainAreAccepted() {
        LockKey key = unique();
        advance(key, 7);
        advance(key, 7);
        advance(key, 8);
        assertThat(token(key)).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSmallerTokenIsRefusedBeforeTheWork(boolean shared) {
        LockKey key = unique();
        advance(key, 8);
        AtomicBoolean worked = new AtomicBoolean();
        Sequencer stale = shared ? shared(key, 7) : exclusive(key, 7);
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> in(fence.advance(stale).then(Mono.fromRunnable(() -> worked.set(true))))
                        .block(PATIENCE))
                .withMessage("lock '" + key + "' (token 7) is stale: the database has seen token 8");
        assertThat(worked).isFalse();
        assertThat(token(key)).isEqualTo(8);
    }

    @Test
    void sharedLocksAndReadOnlyTransactionsAreCheckedButDoNotAdvance() {
        LockKey key = unique();
        in(fence.advance(shared(key, 4))).block(PATIENCE);
        assertThat(rows(key)).isZero();
        advance(key, 5);
        in(fence.advance(shared(key, 6))).block(PATIENCE);
        DefaultTransactionDefinition readOnly = new DefaultTransactionDefinition();
        readOnly.setReadOnly(true);
        in(readOnly, fence.advance(exclusive(key, 6))).block(PATIENCE);
        assertThat(token(key)).isEqualTo(5);
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> in(readOnly, fence.advance(exclusive(key, 4))).block(PATIENCE));
    }

    @Test
    void aTransactionThatIsRolledBackLeavesTheRowAsItWas() {
        LockKey key = unique();
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(
                        () -> in(fence.advance(exclusive(key, 5)).then(Mono.error(new UnsupportedOperationException())))
                                .block(PATIENCE));
        advance(key, 4);
        assertThat(token(key)).isEqualTo(4);
    }

    @Test
    void theLongestKeysAndThoseThatDifferInCaseOrAccentAreTold() {
        String name = "ü".repeat(256);
        advance(LockKey.of(name, "{".repeat(512)), 5);
        advance(LockKey.of(name, "{".repeat(511) + "}"), 3);
        String other = UUID.randomUUID().toString();
        advance(LockKey.of(other, "e"), 9);
        advance(LockKey.of(other, "E"), 1);
        advance(LockKey.of(other, "é"), 2);
        assertThat(token(LockKey.of(other, "e"))).isEqualTo(9);
    }

    @Test
    void tokensOfAnotherProviderAreNotCompared() {
        LockKey key = unique();
        advance(key, 5);
        for (Sequencer other : new Sequencer[] {exclusive(key, 6), shared(key, 6)}) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> in(fence.advance("etcd", other)).block(PATIENCE))
                    .withMessageContaining("from 'redis:lock', which");
        }
        assertThat(token(key)).isEqualTo(5);
    }

    /** Their locks are not the same, though they have one name. */
    @Test
    void twoApplicationsWithDifferentKeyPrefixesShareTheTable() {
        LockKey key = unique();
        R2dbcFence other = new R2dbcFence(
                Objects.requireNonNull(manager.getConnectionFactory()),
                new FenceTable(FenceTable.DEFAULT_NAME, "other"),
                "redis");
        advance(key, 5);
        in(other.advance(exclusive(key, 3))).block(PATIENCE);
        assertThat(token(key)).isEqualTo(5);
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> in(other.advance(exclusive(key, 2))).block(PATIENCE));
    }

    @Test
    void aTransactionCostsOneStatementAndOneMoreWhereOthersCommitImplicitly() {
        LockKey key = unique();
        advance(key, 1);
        Mono<Void> work = client.sql("insert into work values (1)").then();
        long plain = statementsOf(in(work));
        long fenced = statementsOf(in(fence.advance(exclusive(key, 2)).then(work)));
        // Rounded: the end of an earlier connection may also be counted.
        assertThat(Math.round((fenced - plain) / (double) TRANSACTIONS)).isEqualTo(database.fencingStatements());
    }

    private long statementsOf(Mono<Void> transaction) {
        long before = database.statements();
        transaction.repeat(TRANSACTIONS - 1).blockLast(PATIENCE);
        return database.statements() - before;
    }

    @Test
    void aConnectionFactoryIsTheFencesBehindAnyNumberOfWrappers() {
        ConnectionFactory own = Objects.requireNonNull(manager.getConnectionFactory());
        assertThat(fence.isOf(new DelegatingConnectionFactory(new DelegatingConnectionFactory(own))))
                .isTrue();
        assertThat(new R2dbcFence(new DelegatingConnectionFactory(own), TABLE, "redis").isOf(own))
                .isTrue();
        assertThat(fence.isOf(new DelegatingConnectionFactory(new CountedConnections())))
                .isFalse();
    }

    @Test
    void verifyingInsideATransactionLeavesItToBeCommittedAndNothingBehind() {
        LockKey key = unique();
        in(fence.advance(exclusive(key, 1)).then(fence.verify())).block(PATIENCE);
        assertThat(token(key)).isEqualTo(1);
        assertThat(database.jdbc()
                        .queryForObject(
                                "select count(*) from distributed_lock_fence where lock_key = '{probe}'", Long.class))
                .isZero();
    }

    @Test
    void aFailedVerificationInsideATransactionLeavesItToBeCommitted() {
        LockKey key = unique();
        R2dbcFence elsewhere = new R2dbcFence(
                Objects.requireNonNull(manager.getConnectionFactory()), new FenceTable("nowhere", "lock"), "redis");
        in(fence.advance(exclusive(key, 1)).then(elsewhere.verify().onErrorComplete(IllegalStateException.class)))
                .block(PATIENCE);
        assertThat(token(key)).isEqualTo(1);
    }

    @Test
    void aMissingTableIsNamed() {
        R2dbcFence elsewhere = new R2dbcFence(database.connections(), new FenceTable("nowhere", "lock"), "redis");
        assertThatIllegalStateException()
                .isThrownBy(() -> elsewhere.verify().block(PATIENCE))
                .withMessageContaining("table nowhere")
                .withMessageContaining("initialize-schema");
    }
}
