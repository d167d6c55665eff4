package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.fencing.StaleFencingTokenException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a fence does where reactive transactions meet at its rows. */
abstract class R2dbcFenceWaitContract extends R2dbcFenceFixture {

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
    @IsolationTest
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

    @IsolationTest
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

    private static TransactionDefinition isolation(int isolation) {
        DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
        definition.setIsolationLevel(isolation);
        return definition;
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

    /** A transaction that has advanced the fence and waits for the test. */
    final class Held {

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
