package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a fence does in the reactive transactions of each database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class R2dbcFenceContract {

    private static final FenceTable TABLE = new FenceTable(FenceTable.DEFAULT_NAME, "lock");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int TRANSACTIONS = 20;

    private Database database;
    private R2dbcTransactionManager manager;
    private DatabaseClient client;
    private R2dbcFence fence;

    abstract Database start();

    @BeforeAll
    void prepare() {
        database = start();
        database.jdbc().execute("create table work (done int)");
        ConnectionFactory connections = database.connections();
        manager = new R2dbcTransactionManager(connections);
        client = DatabaseClient.create(connections);
        fence = new R2dbcFence(connections, TABLE, "redis");
        fence.createTable(false).then(fence.verify()).block(PATIENCE);
    }

    @AfterAll
    void end() {
        database.close();
    }

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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStaleTransactionWaitsForTheLaterHoldersAndIsThenRefused(boolean known) {
        LockKey key = unique();
        if (known) {
            advance(key, 1);
        }
        Held later = new Held(key, 6);
        CompletableFuture<Void> stale = in(fence.advance(exclusive(key, 5))).toFuture();
        await().until(() -> database.waiting() == 1);
        later.commit();
        assertThat(stale)
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(StaleFencingTokenException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLaterHolderWaitsForAStaleTransactionThatCameFirst(boolean known) {
        LockKey key = unique();
        if (known) {
            advance(key, 1);
        }
        Held stale = new Held(key, 5);
        CompletableFuture<Void> later = in(fence.advance(exclusive(key, 6))).toFuture();
        await().until(() -> database.waiting() == 1);
        assertThat(later).isNotDone();
        stale.commit();
        assertThat(later).succeedsWithin(PATIENCE);
        assertThat(token(key)).isEqualTo(6);
    }

    @Test
    void aWaitForTheRowThatTakesTooLongFailsAsSpringsExceptionForIt() {
        LockKey key = unique();
        advance(key, 4);
        Held earlier = new Held(key, 5);
        assertThatExceptionOfType(CannotAcquireLockException.class)
                .isThrownBy(
                        () -> in(client.sql(database.shortLockTimeout()).then().then(fence.advance(exclusive(key, 6))))
                                .block(PATIENCE));
        earlier.commit();
        assertThat(token(key)).isEqualTo(5);
    }

    @Test
    void aTransactionThatIsCancelledWhileItWaitsForTheRowLeavesNothingBehind() {
        LockKey key = unique();
        Held earlier = new Held(key, 5);
        Disposable waiting = in(fence.advance(exclusive(key, 6))).subscribe();
        await().until(() -> database.waiting() == 1);
        waiting.dispose();
        earlier.commit();
        advance(key, 5);
        assertThat(token(key)).isEqualTo(5);
    }

    /** A holder that was here before, and one that was not. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.ISOLATION_READ_COMMITTED,
                TransactionDefinition.ISOLATION_REPEATABLE_READ,
                TransactionDefinition.ISOLATION_SERIALIZABLE
            })
    void aStaleTransactionIsRefusedThoughItsSnapshotIsOlder(int isolation) {
        for (long known = 1; known <= 2; known++) {
            LockKey key = unique();
            advance(key, known);
            Mono<Void> overtaken = client.sql("select token from distributed_lock_fence where lock_key = 'another'")
                    .then()
                    .then(Mono.fromFuture(
                            () -> in(fence.advance(exclusive(key, 3))).toFuture()))
                    .then(fence.advance(exclusive(key, 2)));
            assertThat(catchThrowable(() -> in(isolation(isolation), overtaken).block(PATIENCE)))
                    .isInstanceOfAny(StaleFencingTokenException.class, PessimisticLockingFailureException.class);
            assertThat(token(key)).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.ISOLATION_READ_COMMITTED,
                TransactionDefinition.ISOLATION_REPEATABLE_READ,
                TransactionDefinition.ISOLATION_SERIALIZABLE
            })
    void aHolderOfTwoLocksOfWhichOneIsNewReadsWhatItHasWaitedFor(int isolation) {
        LockKey waitedFor = unique();
        LockKey written = unique();
        advance(waitedFor, 1);
        Held stale = new Held(waitedFor, 5);
        AtomicLong read = new AtomicLong();
        Mono<Void> work = client.sql("select count(*) from distributed_lock_fence where lock_key = :key")
                .bind("key", TABLE.key(written))
                .map(row -> Objects.requireNonNull(row.get(0, Long.class)))
                .one()
                .doOnNext(read::set)
                .then();
        CompletableFuture<Void> later = in(
                        isolation(isolation),
                        fence.advance(exclusive(unique(), 6))
                                .then(fence.advance(exclusive(waitedFor, 6)))
                                .then(work))
                .toFuture();
        await().until(() -> database.waiting() == 1);
        advance(written, 5);
        stale.commit();
        if (catchThrowable(() -> later.get(30, TimeUnit.SECONDS)) instanceof ExecutionException failed) {
            assertThat(failed).hasCauseInstanceOf(PessimisticLockingFailureException.class);
        } else {
            assertThat(read).hasValue(1);
        }
    }

    @Test
    void aNewTransactionInsideDoesNotWaitForTheRowOfTheOuterOne() {
        LockKey key = unique();
        DefaultTransactionDefinition anew =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
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

    @Test
    void manyWhoComeAtOnceLeaveTheLargest() {
        LockKey key = unique();
        Flux.range(1, 16)
                .flatMap(token ->
                        in(fence.advance(exclusive(key, token))).onErrorComplete(StaleFencingTokenException.class))
                .blockLast(PATIENCE);
        assertThat(token(key)).isEqualTo(16);
    }

    @Test
    void aTransactionCostsExactlyOneStatement() {
        LockKey key = unique();
        advance(key, 1);
        Mono<Void> work = client.sql("insert into work values (1)").then();
        long plain = statementsOf(in(work));
        long fenced = statementsOf(in(fence.advance(exclusive(key, 2)).then(work)));
        // Rounded: the end of an earlier connection may also be counted.
        assertThat(Math.round((fenced - plain) / (double) TRANSACTIONS)).isOne();
    }

    private long statementsOf(Mono<Void> transaction) {
        long before = database.statements();
        transaction.repeat(TRANSACTIONS - 1).blockLast(PATIENCE);
        return database.statements() - before;
    }

    @Test
    void aMissingTableIsNamed() {
        R2dbcFence elsewhere = new R2dbcFence(database.connections(), new FenceTable("nowhere", "lock"), "redis");
        assertThatIllegalStateException()
                .isThrownBy(() -> elsewhere.verify().block(PATIENCE))
                .withMessageContaining("table nowhere")
                .withMessageContaining("initialize-schema");
    }

    /** Two holders under one lock, of which one does not know that it has lost it. Without the fence, both write. */
    @Test
    void noUpdateIsLostAndNoStaleHolderCommitsAfterALaterOneUnlessThereIsNoFence() {
        R2dbcRounds fenced = new R2dbcRounds(database, manager, fence::advance);
        fenced.run();
        assertThat(fenced.lostUpdates()).isZero();
        assertThat(fenced.staleCommits()).isZero();
        assertThat(fenced.refused()).isPositive();
        R2dbcRounds control = new R2dbcRounds(database, manager, any -> Mono.empty());
        control.run();
        assertThat(control.lostUpdates()).isPositive();
        assertThat(control.staleCommits()).isPositive();
    }

    private void advance(LockKey key, long token) {
        in(fence.advance(exclusive(key, token))).block(PATIENCE);
    }

    private Mono<Void> in(Mono<Void> work) {
        return in(new DefaultTransactionDefinition(), work);
    }

    private Mono<Void> in(TransactionDefinition definition, Mono<Void> work) {
        return TransactionalOperator.create(manager, definition).transactional(work);
    }

    private static TransactionDefinition isolation(int isolation) {
        DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
        definition.setIsolationLevel(isolation);
        return definition;
    }

    private long token(LockKey key) {
        return number("select token from distributed_lock_fence where lock_key = ?", key);
    }

    private long rows(LockKey key) {
        return number("select count(*) from distributed_lock_fence where lock_key = ?", key);
    }

    private long number(String sql, LockKey key) {
        Long number = database.jdbc().queryForObject(sql, Long.class, TABLE.key(key));
        return number == null ? 0 : number;
    }

    private static LockKey unique() {
        return LockKey.of("orders", UUID.randomUUID().toString());
    }

    private static Sequencer exclusive(LockKey key, long token) {
        return new Sequencer(key, LockMode.EXCLUSIVE, new FencingToken(token));
    }

    private static Sequencer shared(LockKey key, long token) {
        return new Sequencer(key, LockMode.SHARED, new FencingToken(token));
    }

    /** A transaction that has advanced the fence and waits for the test. */
    private final class Held {

        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private final CompletableFuture<Void> done;

        Held(LockKey key, long token) {
            CompletableFuture<Void> advanced = new CompletableFuture<>();
            done = in(fence.advance(exclusive(key, token))
                            .doOnSuccess(advanced::complete)
                            .then(Mono.fromFuture(end)))
                    .toFuture();
            assertThat(CompletableFuture.anyOf(advanced, done)).succeedsWithin(PATIENCE);
        }

        void commit() {
            end.complete(null);
            assertThat(done).succeedsWithin(PATIENCE);
        }
    }
}
