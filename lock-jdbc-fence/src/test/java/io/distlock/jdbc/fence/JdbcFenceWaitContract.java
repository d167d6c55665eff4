package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

/** What a fence does where transactions meet at its rows. */
abstract class JdbcFenceWaitContract extends JdbcFenceFixture {

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
        // MariaDB has rolled everything back, and has begun a new transaction. The others let this one do nothing more.
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

    @IsolationTest
    void aStaleTransactionIsRefusedThoughItsSnapshotIsOlder(int isolation) {
        LockKey key = unique();
        advance(key, 1);
        assertRefusedAfterALaterOne(key, isolation);
        assertThat(token(key)).isEqualTo(3);
    }

    @IsolationTest
    void aHolderThatWasHereBeforeIsRefusedAfterALaterOneWhateverItsSnapshot(int isolation) {
        LockKey key = unique();
        advance(key, 2);
        assertRefusedAfterALaterOne(key, isolation);
    }

    /** The second token, in a transaction whose snapshot is older than the third one's commit. */
    private void assertRefusedAfterALaterOne(LockKey key, int isolation) {
        TransactionTemplate transaction = database.transaction();
        transaction.setIsolationLevel(isolation);
        Throwable refusal = catchThrowable(() -> transaction.executeWithoutResult(status -> {
            database.jdbc().queryForList("select token from distributed_lock_fence where lock_key = 'another'");
            run(() -> advance(key, 3)).join();
            fence.advance(exclusive(key, 2));
        }));
        assertThat(refusal).isInstanceOfAny(StaleFencingTokenException.class, PessimisticLockingFailureException.class);
    }

    @IsolationTest
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
        try {
            CompletableFuture.anyOf(open, first).get(30, TimeUnit.SECONDS);
            // Its row comes after the first one's, and is as new.
            run(() -> transaction.executeWithoutResult(
                            status -> fence.advance(exclusive(LockKey.of("z" + isolation, "2"), 1))))
                    .get(30, TimeUnit.SECONDS);
            assertThat(first).isNotDone();
        } finally {
            end.complete(null);
        }
        first.get(30, TimeUnit.SECONDS);
    }

    @IsolationTest
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

    private static Throwable failure(CompletableFuture<Void> future) {
        return catchThrowable(() -> future.get(30, TimeUnit.SECONDS)).getCause();
    }

    /** A transaction on a thread of its own that has advanced the fence and waits to be ended. */
    final class Held implements AutoCloseable {

        private final CompletableFuture<Boolean> outcome = new CompletableFuture<>();
        private final CompletableFuture<Void> done;

        Held(LockKey key, long token) {
            CompletableFuture<Void> advanced = new CompletableFuture<>();
            done = run(() -> database.transaction().executeWithoutResult(status -> {
                fence.advance(exclusive(key, token));
                advanced.complete(null);
                if (!outcome.join()) {
                    status.setRollbackOnly();
                }
            }));
            CompletableFuture.anyOf(advanced, done)
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
        }

        void commit() {
            end(true);
        }

        void rollback() {
            end(false);
        }

        private void end(boolean committed) {
            outcome.complete(committed);
            assertThat(done).succeedsWithin(30, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            outcome.complete(false);
            done.exceptionally(failed -> null).join();
        }
    }
}
