package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockMode;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.jdbc.fence.CountedConnections;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.DistributedLock.Fencing;
import io.distlock.spring.ReactiveLockContext;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
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
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A reactive application with a fence. A holder is overtaken by writing a larger token into its row. */
abstract class R2dbcFencedTransactionFixture {

    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final String ADVANCE = "merge into distributed_lock_fence";
    static final AtomicInteger runs = new AtomicInteger();

    static ConfigurableApplicationContext context;
    static CountedConnections connections;
    static CountedConnections others;
    static DatabaseClient db;
    static Outer outer;
    static Inner inner;
    static TransactionalOperator operator;

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

    /** On a connection of its own, whatever transaction the subscription is in. */
    static Mono<Void> overtake(String key) {
        return onItsOwn(sql("merge into distributed_lock_fence values ('" + key + "{lock}"
                + "', 1000000, 'in-memory:lock', current_timestamp)"));
    }

    static <T> Mono<T> onItsOwn(Mono<T> work) {
        return work.contextWrite(context -> reactor.util.context.Context.empty());
    }

    static Mono<Void> sql(String statement) {
        return db.sql(statement).then();
    }

    static Mono<Void> write(String id) {
        return Mono.defer(() -> {
            runs.incrementAndGet();
            return sql("insert into work values ('" + id + "')");
        });
    }

    static void assertStale(Mono<?> work) {
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> work.block(PATIENCE));
    }

    static long fence(String key) {
        return number("select coalesce(max(token), 0) from distributed_lock_fence where lock_key = '" + key + "{lock}'")
                .block(PATIENCE);
    }

    static Mono<Long> rows() {
        return number("select count(*) from distributed_lock_fence");
    }

    static long work() {
        return number("select count(*) from work").block(PATIENCE);
    }

    static Mono<Long> number(String query) {
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
