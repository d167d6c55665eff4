package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.FencingToken;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.jdbc.fence.R2dbcFence;
import io.distlock.spring.DistributedLock.Fencing;
import io.distlock.spring.ReactiveLockContext;
import io.distlock.spring.template.LockTemplate;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Reactive transactions under annotated locks, with a fence. */
class R2dbcFencedTransactionTests extends R2dbcFencedTransactionFixture {

    @Test
    void aTransactionBegunUnderALockAdvancesTheFence() {
        FencingToken token = outer.locked("1", inner.write("a")).block(PATIENCE);
        assertThat(fence("orders:1")).isEqualTo(token.value());
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aStaleHoldersMethodIsNotRun() {
        assertStale(outer.locked("1", overtake("orders:1").then(inner.write("a"))));
        assertThat(runs).hasValue(0);
        assertThat(work()).isZero();
    }

    @Test
    void bothAnnotationsMayBeOnOneMethod() {
        outer.both("1").blockLast(PATIENCE);
        overtake("orders:1").block(PATIENCE);
        assertStale(outer.both("1").then());
        assertThat(runs).hasValue(1);
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aStaleHoldersOperatorDoesNotSubscribe() {
        assertStale(outer.locked("1", overtake("orders:1").then(operator.transactional(write("a")))));
        assertStale(outer.locked("1", operator.execute(status -> write("b")).then()));
        assertThat(runs).hasValue(0);
    }

    @Test
    void aLockTakenInATransactionAdvancesTheFenceBeforeItsBody() {
        operator.transactional(outer.locked(
                        "1",
                        Mono.defer(
                                () -> rows().doOnNext(rows -> assertThat(rows).isEqualTo(1))
                                        .then())))
                .block(PATIENCE);
        assertThat(fence("orders:1")).isPositive();
    }

    @Test
    void aStaleLockTakenInATransactionDoesNotRunItsBody() {
        overtake("orders:1").block(PATIENCE);
        assertStale(operator.transactional(write("a").then(outer.locked("1", write("b")))));
        assertThat(runs).hasValue(1);
        assertThat(work()).isZero();
    }

    @Test
    void aTransactionThatHasIgnoredTheRefusalDoesNotCommit() {
        overtake("orders:1").block(PATIENCE);
        assertStale(operator.transactional(
                write("a").then(outer.locked("1", Mono.empty())).onErrorComplete(StaleFencingTokenException.class)));
        assertThat(work()).isZero();
    }

    @Test
    void aReadOnlyTransactionIsOnlyChecked() {
        outer.locked("1", inner.read(Mono.empty())).block(PATIENCE);
        assertThat(fence("orders:1")).isZero();
        assertStale(outer.locked("1", overtake("orders:1").then(inner.read(Mono.empty()))));
        assertThat(runs).hasValue(1);
    }

    @Test
    void sharedLocksAreOnlyChecked() {
        outer.shared("1", inner.write("a")).block(PATIENCE);
        assertThat(fence("orders:1")).isZero();
        assertStale(outer.shared("1", overtake("orders:1").then(inner.write("b"))));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void locksOfATemplateAreFencedAlsoWhereTheyMustBe() {
        LockTemplate locks = context.getBean(LockTemplate.class);
        assertStale(locks.lock("orders", "1")
                .fencing(Fencing.ON)
                .mono(() -> overtake("orders:1").then(inner.write("a"))));
        assertThat(runs).hasValue(0);
        assertThatIllegalStateException()
                .isThrownBy(() -> locks.lock("orders", "1").fencing(Fencing.ON).run(() -> {}))
                .withMessageContaining("distributed-lock.jdbc.fencing.enabled=true");
    }

    @Test
    void aLockWhoseFencingIsOffIsNot() {
        overtake("orders:1").block(PATIENCE);
        outer.off("1", inner.write("a")).block(PATIENCE);
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void severalLocksAdvanceTheFenceInTheOrderOfTheirKeys() {
        outer.locked("2", outer.locked("1", inner.write("a")).then()).block(PATIENCE);
        assertThat(fence("orders:1")).isPositive();
        assertThat(fence("orders:2")).isPositive();
        assertThat(connections.statements(ADVANCE)).isEqualTo(4);
    }

    @Test
    void aTransactionWithoutALockCostsNothing() {
        inner.write("a").block(PATIENCE);
        assertThat(connections.statements("distributed_lock_fence")).isZero();
    }

    @Test
    void aTransactionUnderALockCostsTwoStatements() {
        outer.locked("1", inner.write("a").then(inner.write("b"))).block(PATIENCE);
        operator.transactional(outer.locked("2", inner.write("c")).then(outer.locked("2", inner.write("d"))))
                .block(PATIENCE);
        assertThat(connections.statements("distributed_lock_fence")).isEqualTo(6);
    }

    @Test
    void aFenceThatFailsRollsTheTransactionBack() {
        connections.fail(ADVANCE);
        try {
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(() -> outer.locked("1", inner.write("a")).block(PATIENCE))
                    .withStackTraceContaining("failed by the test");
        } finally {
            connections.fail("");
        }
        assertThat(runs).hasValue(0);
        outer.locked("1", inner.write("a")).block(PATIENCE);
    }

    @Test
    void theFenceIsABeanForCodeWithoutAnnotations() {
        R2dbcFence fence = context.getBean(R2dbcFence.class);
        LockTemplate locks = context.getBean(LockTemplate.class);
        Mono<Void> advanced = ReactiveLockContext.current()
                .flatMap(lock -> fence.advance(lock.sequencers().get(0)));
        locks.lock("orders", "1")
                .fencing(Fencing.OFF)
                .mono(() -> operator.transactional(advanced.then(write("a"))))
                .block(PATIENCE);
        assertThat(fence("orders:1")).isPositive();
        assertThatIllegalStateException()
                .isThrownBy(() -> locks.lock("orders", "1").mono(() -> advanced).block(PATIENCE))
                .withMessageContaining("outside a transaction of the fence's connection factory");
    }
}
