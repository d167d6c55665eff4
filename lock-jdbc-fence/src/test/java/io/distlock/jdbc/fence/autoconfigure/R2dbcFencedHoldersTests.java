package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockLostException;
import io.distlock.Sequencer;
import io.distlock.jdbc.fence.R2dbcFence;
import io.distlock.spring.DistributedLock.Fencing;
import io.distlock.spring.ReactiveLockContext;
import io.distlock.spring.template.LockTemplate;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Two holders of one lock, of which one does not know that it has lost it, meet at the row of the fence. */
class R2dbcFencedHoldersTests extends R2dbcFencedTransactionFixture {

    @Test
    void cancelledWhileItWaitsForTheRowItLeavesNothingBehind() {
        Mono<Void> waiting = operator.transactional(advanceAs("orders:1").then(Mono.defer(() -> {
            Disposable second = outer.locked("1", inner.write("a")).subscribe(never -> {}, never -> {});
            return Mono.fromRunnable(() -> await().until(() -> connections.statements(ADVANCE) == 2))
                    .then(Mono.fromRunnable(second::dispose));
        })));
        waiting.block(PATIENCE);
        await().untilAsserted(() -> assertThat(connections.open()).isZero());
        assertThat(runs).hasValue(0);
        outer.locked("1", inner.write("b")).block(PATIENCE);
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aTransactionThatNoCancellationReachesIsNotCommittedInPart() {
        Sinks.Empty<Void> goOn = Sinks.empty();
        Mono<Void> work = write("a").then(goOn.asMono()).then(write("b"));
        Mono<Void> kept = Mono.deferContextual(context -> Mono.fromFuture(
                () -> operator.transactional(work).contextWrite(context).toFuture(), true));
        Disposable call = outer.locked("1", kept).subscribe();
        await().until(() -> runs.get() == 1);
        call.dispose();
        assertThat(goOn.tryEmitEmpty()).isEqualTo(Sinks.EmitResult.OK);
        await().untilAsserted(() -> assertThat(connections.open()).isZero());
        // It has reached its end. Its lock was released when the call was cancelled, so it was not committed.
        assertThat(runs).hasValue(2);
        assertThat(work()).isZero();
    }

    @Test
    void theNextHolderWaitsForTheTransactionThatCameFirst() {
        List<String> order = new CopyOnWriteArrayList<>();
        Mono<Void> first = operator.transactional(advanceAs("orders:1").then(Mono.defer(() -> {
            outer.locked("1", inner.write("a"))
                    .doOnSuccess(token -> order.add("second"))
                    .subscribe();
            return Mono.fromRunnable(() -> await().until(() -> connections.statements(ADVANCE) == 2))
                    .then(Mono.fromRunnable(() -> order.add("first")));
        })));
        first.block(PATIENCE);
        await().untilAsserted(() -> assertThat(order).containsExactly("first", "second"));
    }

    @Test
    void nothingIsWrittenByAStaleHolderAndWithoutTheFenceItIs() {
        assertThat(new Rounds(Fencing.DEFAULT).run()).isEqualTo(new Outcome(0, 0));
        Outcome control = new Rounds(Fencing.OFF).run();
        assertThat(control.lostUpdates()).isPositive();
        assertThat(control.staleCommits()).isPositive();
    }

    private record Outcome(int lostUpdates, int staleCommits) {}

    /**
     * A holder books that does not know that its lock is gone, and so does the next holder, in another process: before its
     * transaction, or in the middle.
     */
    private static final class Rounds {

        private final R2dbcFence fence = context.getBean(R2dbcFence.class);
        private final LockTemplate locks = context.getBean(LockTemplate.class);
        private final Fencing fencing;
        private final AtomicInteger booked = new AtomicInteger();
        private final AtomicInteger staleCommits = new AtomicInteger();

        Rounds(Fencing fencing) {
            this.fencing = fencing;
        }

        Outcome run() {
            sql("create table if not exists stock (sold bigint)").block(PATIENCE);
            sql("delete from stock").block(PATIENCE);
            sql("insert into stock values (0)").block(PATIENCE);
            for (int round = 0; round < 25; round++) {
                stale(rival -> rival.then(book(Mono.empty()).doOnSuccess(done -> staleCommits.incrementAndGet())));
                stale(rival -> book(Mono.fromRunnable(() -> inTheMiddle(rival))));
            }
            int sold = Math.toIntExact(
                    Objects.requireNonNull(number("select sold from stock").block(PATIENCE)));
            return new Outcome(booked.get() - sold, staleCommits.get());
        }

        private void stale(UnaryOperator<Mono<Void>> work) {
            locks.lock("stock")
                    .fencing(fencing)
                    .mono(() -> ReactiveLockContext.current()
                            .flatMap(lock -> work.apply(rival(lock.sequencers().get(0)))))
                    .onErrorComplete(LockLostException.class)
                    .block(PATIENCE);
            await().until(() -> connections.open() == 0);
        }

        /** Until it has booked, or waits for the row of the transaction that it has come into. */
        private void inTheMiddle(Mono<Void> rival) {
            AtomicBoolean over = new AtomicBoolean();
            long before = connections.statements(ADVANCE);
            Disposable running = rival.subscribe(done -> {}, failed -> {}, () -> over.set(true));
            await().until(() -> over.get() || connections.statements(ADVANCE) > before);
            assertThat(running.isDisposed()).isEqualTo(over.get());
        }

        private Mono<Void> rival(Sequencer stale) {
            Sequencer next = new Sequencer(
                    stale.key(), stale.mode(), new FencingToken(stale.token().value() + 1));
            Mono<Void> advance = fencing == Fencing.OFF ? Mono.empty() : fence.advance(next);
            return onItsOwn(operator.transactional(advance.then(book(Mono.empty()))));
        }

        private Mono<Void> book(Mono<Void> between) {
            return operator.transactional(number("select sold from stock")
                            .flatMap(sold -> between.then(sql("update stock set sold = " + (sold + 1)))))
                    .doOnSuccess(done -> booked.incrementAndGet());
        }
    }

    /** As the transaction of an earlier holder. */
    private static Mono<Void> advanceAs(String key) {
        return sql("merge into distributed_lock_fence values ('" + key
                + "{lock}', 0, 'in-memory:lock', current_timestamp)");
    }
}
