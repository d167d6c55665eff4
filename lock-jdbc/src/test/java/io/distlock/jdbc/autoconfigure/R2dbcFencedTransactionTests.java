package io.distlock.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.jdbc.CountedConnections;
import io.distlock.jdbc.R2dbcFence;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.DistributedLock.Fencing;
import io.distlock.spring.ReactiveLockContext;
import io.distlock.spring.template.LockTemplate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reactive transactions under annotated locks, with a fence. A holder is overtaken by writing a larger token into its row. */
class R2dbcFencedTransactionTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String ADVANCE = "merge into distributed_lock_fence";
    private static final AtomicInteger runs = new AtomicInteger();

    private static ConfigurableApplicationContext context;
    private static CountedConnections connections;
    private static CountedConnections others;
    private static DatabaseClient db;
    private static Outer outer;
    private static Inner inner;
    private static TransactionalOperator operator;

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run("--distributed-lock.provider=in-memory", "--distributed-lock.r2dbc.fencing.enabled=true");
        connections = context.getBean("connectionFactory", CountedConnections.class);
        others = context.getBean("others", CountedConnections.class);
        db = DatabaseClient.create(connections);
        sql("create table work (id varchar(100))").block(PATIENCE);
        outer = context.getBean(Outer.class);
        inner = context.getBean(Inner.class);
        operator = context.getBean(TransactionalOperator.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @BeforeEach
    void empty() {
        sql("delete from work").block(PATIENCE);
        sql("delete from distributed_lock_fence").block(PATIENCE);
        runs.set(0);
        connections.forget();
    }

    @AfterEach
    void nothingIsLeftBehind() {
        await().untilAsserted(() -> assertThat(connections.open()).isZero());
        await().untilAsserted(() -> assertThat(others.open()).isZero());
    }

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
    void aNewTransactionInsideOneThatIsFencedDoesNotWaitForItself() {
        outer.locked("1", inner.write("a", inner.writeInANewOne("b"))).block(PATIENCE);
        operator.transactional(outer.locked("1", inner.writeInANewOne("c"))).block(PATIENCE);
        assertThat(work()).isEqualTo(3);
    }

    @Test
    void onceTheOuterTransactionHasEndedTheNextOneIsFencedAgain() {
        assertStale(outer.locked(
                "1",
                inner.write("a", inner.writeInANewOne("b"))
                        .then(overtake("orders:1"))
                        .then(inner.writeInANewOne("c"))));
        assertThat(work()).isEqualTo(2);
    }

    @Test
    void aRollbackOfANestedTransactionDoesNotLoseTheFence() {
        operator.transactional(inner.nestedThatFails(outer.locked("1", Mono.empty()))
                        .onErrorComplete(UnsupportedOperationException.class)
                        .then(rows().doOnNext(rows -> assertThat(rows).isZero()))
                        .then(write("a")))
                .block(PATIENCE);
        assertThat(fence("orders:1")).isPositive();
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aRollbackOfANestedTransactionDoesNotLoseTheFenceOfAnOperatorThatIsNoBean() {
        unknown()
                .transactional(inner.nestedThatFails(outer.locked("1", Mono.empty()))
                        .onErrorComplete(UnsupportedOperationException.class)
                        .then(rows().doOnNext(rows -> assertThat(rows).isZero()))
                        .then(write("a")))
                .block(PATIENCE);
        assertThat(fence("orders:1")).isPositive();
    }

    @Test
    void aLockThatIsEnteredAgainAfterARollbackOfANestedTransactionIsFencedAgain() {
        DefaultTransactionDefinition savepoint =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED);
        TransactionalOperator nested =
                TransactionalOperator.create(context.getBean(ReactiveTransactionManager.class), savepoint);
        Mono<Void> failure = Mono.error(new UnsupportedOperationException());
        for (TransactionalOperator each : List.of(operator, unknown())) {
            for (Mono<Void> part : List.of(
                    inner.nestedThatFails(outer.locked("1", Mono.empty())),
                    nested.transactional(outer.locked("1", Mono.empty()).then(failure)))) {
                assertStale(each.transactional(part.onErrorComplete(UnsupportedOperationException.class)
                        .then(overtake("orders:1"))
                        .then(outer.locked("1", write("a")))));
                sql("delete from distributed_lock_fence").block(PATIENCE);
            }
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void aReadOnlyTransactionIsOnlyChecked() {
        outer.locked("1", inner.read(Mono.empty())).block(PATIENCE);
        assertThat(fence("orders:1")).isZero();
        assertStale(outer.locked("1", overtake("orders:1").then(inner.read(Mono.empty()))));
        assertThat(runs).hasValue(1);
    }

    @Test
    void aReadOnlyTransactionAroundItDoesNotExemptANewOne() {
        assertStale(outer.locked("1", inner.read(overtake("orders:1").then(inner.writeInANewOne("b")))));
        assertThat(work()).isZero();
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
        assertThat(connections.statements(ADVANCE)).isEqualTo(2);
    }

    @Test
    void transactionsOfAnotherDatabaseAreNotFenced() {
        TransactionalOperator elsewhere =
                TransactionalOperator.create(context.getBean("otherManager", ReactiveTransactionManager.class));
        overtake("orders:1").block(PATIENCE);
        elsewhere.transactional(outer.locked("1", Mono.empty())).block(PATIENCE);
        outer.locked("1", inner.elsewhere()).block(PATIENCE);
        assertStale(elsewhere.transactional(outer.locked("1", inner.write("a"))));
    }

    @Test
    void aTransactionWithoutALockCostsNothing() {
        inner.write("a").block(PATIENCE);
        assertThat(connections.statements("distributed_lock_fence")).isZero();
    }

    @Test
    void aTransactionUnderALockCostsOneStatement() {
        outer.locked("1", inner.write("a").then(inner.write("b"))).block(PATIENCE);
        operator.transactional(outer.locked("2", inner.write("c")).then(outer.locked("2", inner.write("d"))))
                .block(PATIENCE);
        assertThat(connections.statements("distributed_lock_fence")).isEqualTo(3);
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

    /** Made by hand, as one that is no bean. */
    private static TransactionalOperator unknown() {
        return TransactionalOperator.create(context.getBean(ReactiveTransactionManager.class));
    }

    /** On a connection of its own, whatever transaction the subscription is in. */
    private static Mono<Void> overtake(String key) {
        return onItsOwn(sql("merge into distributed_lock_fence values ('" + key
                + "', 1000000, 'in-memory:lock', current_timestamp)"));
    }

    /** As the transaction of an earlier holder. */
    private static Mono<Void> advanceAs(String key) {
        return sql("merge into distributed_lock_fence values ('" + key + "', 0, 'in-memory:lock', current_timestamp)");
    }

    private static <T> Mono<T> onItsOwn(Mono<T> work) {
        return work.contextWrite(context -> reactor.util.context.Context.empty());
    }

    private static Mono<Void> sql(String statement) {
        return db.sql(statement).then();
    }

    private static Mono<Void> write(String id) {
        return Mono.defer(() -> {
            runs.incrementAndGet();
            return sql("insert into work values ('" + id + "')");
        });
    }

    private static void assertStale(Mono<?> work) {
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> work.block(PATIENCE));
    }

    private static long fence(String key) {
        return number("select coalesce(max(token), 0) from distributed_lock_fence where lock_key = '" + key + "'")
                .block(PATIENCE);
    }

    private static Mono<Long> rows() {
        return number("select count(*) from distributed_lock_fence");
    }

    private static long work() {
        return number("select count(*) from work").block(PATIENCE);
    }

    private static Mono<Long> number(String query) {
        return db.sql(query).map(row -> row.get(0, Long.class)).one();
    }

    static class Outer {

        @DistributedLock(name = "orders", key = "#id", fencing = Fencing.ON)
        public Mono<FencingToken> locked(String id, Mono<?> work) {
            return work.then(ReactiveLockContext.current().map(lock -> lock.fencingToken()));
        }

        @DistributedLock(name = "orders", key = "#id", mode = LockMode.SHARED)
        public Mono<Void> shared(String id, Mono<Void> work) {
            return work;
        }

        @DistributedLock(name = "orders", key = "#id", fencing = Fencing.OFF)
        public Mono<Void> off(String id, Mono<Void> work) {
            return work;
        }

        @Transactional
        @DistributedLock(name = "orders", key = "#id")
        public Flux<String> both(String id) {
            runs.incrementAndGet();
            return sql("insert into work values ('both')").thenMany(Flux.just("a", "b"));
        }
    }

    static class Inner {

        @Transactional
        public Mono<Void> write(String id) {
            // Called, not only subscribed to: a method may do something before it returns its publisher.
            runs.incrementAndGet();
            return sql("insert into work values ('" + id + "')");
        }

        @Transactional
        public Mono<Void> write(String id, Mono<Void> then) {
            return sql("insert into work values ('" + id + "')").then(then);
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public Mono<Void> writeInANewOne(String id) {
            runs.incrementAndGet();
            return sql("insert into work values ('" + id + "')");
        }

        @Transactional(propagation = Propagation.NESTED)
        public Mono<Void> nestedThatFails(Mono<?> work) {
            return work.then(Mono.error(new UnsupportedOperationException()));
        }

        @Transactional(readOnly = true)
        public Mono<Void> read(Mono<Void> work) {
            runs.incrementAndGet();
            return work;
        }

        @Transactional("otherManager")
        public Mono<Void> elsewhere() {
            return Mono.empty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        @Primary
        CountedConnections connectionFactory() {
            return new CountedConnections();
        }

        @Bean
        CountedConnections others() {
            return new CountedConnections();
        }

        @Bean
        @Primary
        R2dbcTransactionManager transactionManager(CountedConnections connectionFactory) {
            return new R2dbcTransactionManager(connectionFactory);
        }

        @Bean
        R2dbcTransactionManager otherManager(@Qualifier("others") CountedConnections others) {
            return new R2dbcTransactionManager(others);
        }

        @Bean
        TransactionalOperator transactionalOperator(R2dbcTransactionManager transactionManager) {
            return TransactionalOperator.create(transactionManager);
        }

        @Bean
        Outer outer() {
            return new Outer();
        }

        @Bean
        Inner inner() {
            return new Inner();
        }
    }
}
