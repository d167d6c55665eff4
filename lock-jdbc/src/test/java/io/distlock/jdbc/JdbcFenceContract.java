package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

/** What a fence does on each database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcFenceContract {

    private static final FenceTable TABLE = new FenceTable(FenceTable.DEFAULT_NAME, "lock");

    private static final int TRANSACTIONS = 20;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Database database;
    private JdbcFence fence;

    abstract Database start();

    final Database database() {
        return database;
    }

    @BeforeAll
    void prepare() {
        database = start();
        fence = new JdbcFence(database.dataSource(), TABLE, "redis");
        fence.verify();
    }

    @AfterAll
    void end() {
        threads.shutdownNow();
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
    void aWaitForTheRowThatTakesTooLongFailsAsSpringsExceptionForIt() throws Exception {
        LockKey key = unique();
        advance(key, 4);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (Held earlier = new Held(key, 5)) {
            // The pool closes a connection of H2 whose statement timed out, so the rollback fails there.
            Throwable end = catchThrowable(() -> database.transaction().executeWithoutResult(status -> {
                database.shortenLockTimeout();
                failure.set(catchThrowable(() -> fence.advance(exclusive(key, 6))));
                status.setRollbackOnly();
            }));
            assertThat(end)
                    .satisfiesAnyOf(
                            none -> assertThat(none).isNull(),
                            closed -> assertThat(closed).isInstanceOf(TransactionSystemException.class));
            earlier.commit();
        } finally {
            database.closeConnections();
        }
        assertThat(failure.get()).isInstanceOf(CannotAcquireLockException.class);
        assertThat(token(key)).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStaleTransactionWaitsForTheLaterHoldersAndIsThenRefused(boolean known) throws Exception {
        LockKey key = unique();
        if (known) {
            advance(key, 1);
        }
        try (Held later = new Held(key, 6)) {
            CompletableFuture<Void> stale = run(() -> advance(key, 5));
            await().until(() -> database.waiting() == 1);
            later.commit();
            assertThat(failure(stale)).isInstanceOf(StaleFencingTokenException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLaterHolderWaitsForAStaleTransactionThatCameFirst(boolean known) throws Exception {
        LockKey key = unique();
        if (known) {
            advance(key, 1);
        }
        try (Held stale = new Held(key, 5)) {
            CompletableFuture<Void> later = run(() -> advance(key, 6));
            await().until(() -> database.waiting() == 1);
            assertThat(later).isNotDone();
            stale.commit();
            later.get(30, TimeUnit.SECONDS);
            assertThat(token(key)).isEqualTo(6);
        }
    }

    @Test
    void aTransactionThatGoesOnAfterADeadlockAtTheFenceAdvancesAgain() throws Exception {
        LockKey one = unique();
        LockKey other = unique();
        CyclicBarrier bothHold = new CyclicBarrier(2);
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> first =
                run(() -> failures.add(goOnAfterDeadlock(exclusive(one, 5), exclusive(other, 1), bothHold)));
        CompletableFuture<Void> second =
                run(() -> failures.add(goOnAfterDeadlock(exclusive(other, 5), exclusive(one, 1), bothHold)));
        try {
            CompletableFuture.allOf(first, second).get(30, TimeUnit.SECONDS);
        } finally {
            database.closeConnections();
        }
        assertThat(failures).hasAtLeastOneElementOfType(PessimisticLockingFailureException.class);
    }

    /** What the fence said of the other key. It is stale if the other transaction gave way, went on and has committed. */
    private Throwable goOnAfterDeadlock(Sequencer mine, Sequencer others, CyclicBarrier bothHold) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Throwable end = catchThrowable(() -> in(() -> {
            database.shortenLockTimeout();
            fence.advance(mine);
            assertThatNoException().isThrownBy(() -> bothHold.await(30, TimeUnit.SECONDS));
            failure.set(catchThrowable(() -> fence.advance(others)));
            fence.advance(mine);
        }));
        // MariaDB has rolled everything back after a deadlock, and has begun a new transaction. The others let this one
        // do
        // nothing more.
        assertThat(end != null || token(mine.key()) == mine.token().value()).isTrue();
        assertThat(failure.get())
                .satisfiesAnyOf(
                        none -> assertThat(none).isNull(),
                        known -> assertThat(known)
                                .isInstanceOfAny(
                                        PessimisticLockingFailureException.class, StaleFencingTokenException.class));
        return failure.get();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionThatRollsBackRefusesNobody(boolean known) throws Exception {
        LockKey key = unique();
        if (known) {
            advance(key, 1);
        }
        try (Held later = new Held(key, 6)) {
            CompletableFuture<Void> earlier = run(() -> advance(key, 5));
            await().until(() -> database.waiting() == 1);
            later.rollback();
            earlier.get(30, TimeUnit.SECONDS);
            assertThat(token(key)).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.ISOLATION_READ_COMMITTED,
                TransactionDefinition.ISOLATION_REPEATABLE_READ,
                TransactionDefinition.ISOLATION_SERIALIZABLE
            })
    void aStaleTransactionIsRefusedThoughItsSnapshotIsOlder(int isolation) {
        LockKey key = unique();
        advance(key, 1);
        TransactionTemplate transaction = database.transaction();
        transaction.setIsolationLevel(isolation);
        Throwable refusal = catchThrowable(() -> transaction.executeWithoutResult(status -> {
            database.jdbc().queryForList("select token from distributed_lock_fence where lock_key = 'another'");
            run(() -> advance(key, 3)).join();
            fence.advance(exclusive(key, 2));
        }));
        assertThat(refusal).isInstanceOfAny(StaleFencingTokenException.class, PessimisticLockingFailureException.class);
        assertThat(token(key)).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.ISOLATION_READ_COMMITTED,
                TransactionDefinition.ISOLATION_REPEATABLE_READ,
                TransactionDefinition.ISOLATION_SERIALIZABLE
            })
    void aHolderThatWasHereBeforeIsRefusedAfterALaterOneWhateverItsSnapshot(int isolation) {
        LockKey key = unique();
        advance(key, 2);
        TransactionTemplate transaction = database.transaction();
        transaction.setIsolationLevel(isolation);
        Throwable refusal = catchThrowable(() -> transaction.executeWithoutResult(status -> {
            database.jdbc().queryForList("select token from distributed_lock_fence where lock_key = 'another'");
            run(() -> advance(key, 3)).join();
            fence.advance(exclusive(key, 2));
        }));
        assertThat(refusal).isInstanceOfAny(StaleFencingTokenException.class, PessimisticLockingFailureException.class);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.ISOLATION_READ_COMMITTED,
                TransactionDefinition.ISOLATION_REPEATABLE_READ,
                TransactionDefinition.ISOLATION_SERIALIZABLE
            })
    void transactionsUnderDifferentLocksDoNotWaitForOneAnother(int isolation) throws Exception {
        TransactionTemplate transaction = database.transaction();
        transaction.setIsolationLevel(isolation);
        CompletableFuture<Void> open = new CompletableFuture<>();
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<Void> first = run(() -> transaction.executeWithoutResult(status -> {
            fence.advance(exclusive(LockKey.of("z" + isolation, "1"), 1));
            open.complete(null);
            end.join();
        }));
        CompletableFuture.anyOf(open, first).get(30, TimeUnit.SECONDS);
        // Its row comes after the first one's, and is as new.
        CompletableFuture<Void> second = run(() -> transaction.executeWithoutResult(
                status -> fence.advance(exclusive(LockKey.of("z" + isolation, "2"), 1))));
        await().until(() -> second.isDone() || database.waiting() > 0);
        boolean waited = !second.isDone();
        end.complete(null);
        CompletableFuture.allOf(first, second).get(30, TimeUnit.SECONDS);
        assertThat(waited).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.ISOLATION_READ_COMMITTED,
                TransactionDefinition.ISOLATION_REPEATABLE_READ,
                TransactionDefinition.ISOLATION_SERIALIZABLE
            })
    void aHolderOfTwoLocksOfWhichOneIsNewReadsWhatItHasWaitedFor(int isolation) throws Exception {
        LockKey waitedFor = unique();
        LockKey written = unique();
        advance(waitedFor, 1);
        TransactionTemplate transaction = database.transaction();
        transaction.setIsolationLevel(isolation);
        AtomicLong read = new AtomicLong();
        CompletableFuture<Void> later;
        try (Held stale = new Held(waitedFor, 5)) {
            later = run(() -> transaction.executeWithoutResult(status -> {
                fence.advance(exclusive(unique(), 6));
                fence.advance(exclusive(waitedFor, 6));
                read.set(rows(written));
            }));
            await().until(() -> database.waiting() == 1);
            advance(written, 5);
            stale.commit();
        }
        if (catchThrowable(() -> later.get(30, TimeUnit.SECONDS)) instanceof ExecutionException failed) {
            assertThat(failed).hasCauseInstanceOf(PessimisticLockingFailureException.class);
        } else {
            assertThat(read).hasValue(1);
        }
    }

    @Test
    void manyWhoComeAtOnceLeaveTheLargest() throws Exception {
        LockKey key = unique();
        CountDownLatch start = new CountDownLatch(1);
        CompletableFuture<?>[] all = new CompletableFuture<?>[16];
        for (int i = 0; i < all.length; i++) {
            long token = i + 1L;
            all[i] = run(() -> {
                        start.await();
                        advance(key, token);
                    })
                    .exceptionally(refused -> {
                        assertThat(refused.getCause()).isInstanceOf(StaleFencingTokenException.class);
                        return null;
                    });
        }
        start.countDown();
        CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);
        assertThat(token(key)).isEqualTo(16);
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

    @Test
    void anInnerTransactionDoesNotWaitForTheRowOfTheOuterOne() {
        LockKey key = unique();
        TransactionTemplate inner = database.transaction();
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        in(() -> {
            fence.advance(exclusive(key, 1));
            inner.executeWithoutResult(status -> fence.advance(exclusive(key, 1)));
            fence.advance(exclusive(key, 1));
        });
        assertThat(token(key)).isEqualTo(1);
    }

    @Test
    void anInnerTransactionWithALaterGrantIsRefusedBeforeItWaitsForTheOuterOne() {
        LockKey key = unique();
        TransactionTemplate inner = database.transaction();
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        in(() -> {
            fence.advance(exclusive(key, 1));
            assertThatIllegalStateException()
                    .isThrownBy(() -> inner.executeWithoutResult(status -> fence.advance(exclusive(key, 2))))
                    .withMessageContaining("would wait for that one for ever");
        });
        assertThat(token(key)).isEqualTo(1);
    }

    @Test
    void outsideOfATransactionItRefusesToWork() {
        assertThatIllegalStateException()
                .isThrownBy(() -> fence.advance(exclusive(unique(), 1)))
                .withMessageContaining("outside a transaction");
    }

    @Test
    void aTransactionCostsExactlyOneStatement() {
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
        assertThat(Math.round((fenced - plain) / (double) TRANSACTIONS)).isOne();
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
    void aMissingTableIsNamed() {
        JdbcFence elsewhere = new JdbcFence(database.dataSource(), new FenceTable("nowhere", "lock"), "redis");
        assertThatIllegalStateException()
                .isThrownBy(elsewhere::verify)
                .withMessageContaining("table nowhere")
                .withMessageContaining("initialize-schema");
    }

    private void advance(LockKey key, long token) {
        in(() -> fence.advance(exclusive(key, token)));
    }

    private void in(Runnable work) {
        database.transaction().executeWithoutResult(status -> work.run());
    }

    private long token(LockKey key) {
        Long token = database.jdbc()
                .queryForObject(
                        "select token from distributed_lock_fence where lock_key = ?", Long.class, TABLE.key(key));
        return token == null ? 0 : token;
    }

    private long rows(LockKey key) {
        Long rows = database.jdbc()
                .queryForObject(
                        "select count(*) from distributed_lock_fence where lock_key = ?", Long.class, TABLE.key(key));
        return rows == null ? 0 : rows;
    }

    private CompletableFuture<Void> run(Work work) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException failure) {
                        throw failure;
                    } catch (Exception failure) {
                        throw new CompletionException(failure);
                    }
                },
                threads);
    }

    private static Throwable failure(CompletableFuture<Void> future) {
        return catchThrowable(() -> future.get(30, TimeUnit.SECONDS)).getCause();
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

    private interface Work {
        void run() throws Exception;
    }

    /** A transaction on a thread of its own that has advanced the fence and waits to be ended. */
    private final class Held implements AutoCloseable {

        private final CompletableFuture<Boolean> outcome = new CompletableFuture<>();
        private final CompletableFuture<Void> done;

        Held(LockKey key, long token) throws Exception {
            CompletableFuture<Void> advanced = new CompletableFuture<>();
            done = JdbcFenceContract.this.run(() -> database.transaction().executeWithoutResult(status -> {
                fence.advance(exclusive(key, token));
                advanced.complete(null);
                if (!outcome.join()) {
                    status.setRollbackOnly();
                }
            }));
            CompletableFuture.anyOf(advanced, done).get(30, TimeUnit.SECONDS);
        }

        void commit() throws Exception {
            outcome.complete(true);
            done.get(30, TimeUnit.SECONDS);
        }

        void rollback() throws Exception {
            outcome.complete(false);
            done.get(30, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            outcome.complete(false);
            done.exceptionally(failed -> null).join();
        }
    }
}
