package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.LockLostException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualTicker;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Locks and reactive transactions, on a real database with its R2DBC driver. */
class ReactiveTransactionTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ApplicationContextRunner runner = runner().withBean(Orders.class);

    static ApplicationContextRunner runner() {
        return LockTestContext.manual()
                .withConfiguration(AutoConfigurations.of(TransactionAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .withBean(Table.class)
                .withBean(Service.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        ConnectionFactory connectionFactory() {
            return ConnectionFactories.get("r2dbc:h2:mem:///" + UUID.randomUUID() + "?options=DB_CLOSE_DELAY=-1");
        }

        @Bean
        R2dbcTransactionManager transactionManager(ConnectionFactory connections) {
            return new R2dbcTransactionManager(connections);
        }

        @Bean
        DatabaseClient databaseClient(ConnectionFactory connections) {
            return DatabaseClient.create(connections);
        }
    }

    static class Table implements LockListener {

        private final DatabaseClient client;
        private final ManualTicker ticker;
        private final List<String> journal = new CopyOnWriteArrayList<>();

        Table(DatabaseClient client, ManualTicker ticker) {
            this.client = client;
            this.ticker = ticker;
            client.sql("create table item(name varchar(20))").then().block(PATIENCE);
        }

        Mono<Void> insert(String name) {
            return client.sql("insert into item(name) values (:name)")
                    .bind("name", name)
                    .then();
        }

        /** As another connection sees them. */
        List<String> rows() {
            return client.sql("select name from item order by name")
                    .map(row -> row.get(0, String.class))
                    .all()
                    .collectList()
                    .subscribeOn(Schedulers.boundedElastic())
                    .block(PATIENCE);
        }

        List<String> journal() {
            return journal;
        }

        Mono<Void> loseIf(boolean lose) {
            return Mono.fromRunnable(() -> ticker.advance(lose ? Duration.ofSeconds(11) : Duration.ZERO));
        }

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Released) {
                journal.add("released, visible " + rows().size());
            }
        }
    }

    static class Orders {

        private final Table table;
        private final Service service;
        private final TransactionalOperator operator;

        Orders(Table table, Service service, TransactionalOperator operator) {
            this.table = table;
            this.service = service;
            this.operator = operator;
        }

        @Transactional
        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public Mono<String> onOneMethod(boolean lose) {
            return table.insert("one").then(table.loseIf(lose)).thenReturn("done");
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public Flux<String> aroundAnother(boolean lose) {
            // Begun on a thread that has nothing to do with the lock.
            return Mono.delay(Duration.ofMillis(1), Schedulers.boundedElastic()).thenMany(service.required(lose));
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public Mono<Void> byOperator(boolean lose) {
            return operator.transactional(table.insert("operator").then(table.loseIf(lose)));
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public Flux<Void> byCallback(boolean lose) {
            return operator.execute(transaction -> table.insert("callback").then(table.loseIf(lose)));
        }

        @Transactional
        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public Mono<Void> aroundANewOne(boolean lose) {
            return table.insert("outer").then(service.requiresNew()).then(table.loseIf(lose));
        }

        @DistributedLock("renewed")
        public Mono<Void> underAnother(Mono<Void> work) {
            return service.in(work);
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public Mono<Void> inside(String item) {
            return table.insert(item);
        }
    }

    static class Service {

        private final Table table;

        Service(Table table) {
            this.table = table;
        }

        @Transactional
        public Flux<String> required(boolean lose) {
            return table.insert("required").then(table.loseIf(lose)).thenMany(Flux.just("a", "b"));
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public Mono<Void> requiresNew() {
            return table.insert("new");
        }

        @Transactional
        public Mono<Void> in(Mono<Void> work) {
            return work;
        }
    }

    private interface Work {

        void with(Orders orders, Table table, ApplicationContext context);
    }

    private void run(Work work) {
        run(runner, work);
    }

    private static void run(ApplicationContextRunner runner, Work work) {
        runner.run(context -> work.with(context.getBean(Orders.class), context.getBean(Table.class), context));
    }

    private static void assertLost(Flux<?> result) {
        StepVerifier.create(result.ignoreElements())
                .expectError(LockLostException.class)
                .verify(PATIENCE);
    }

    @Test
    void whileTheLockIsHeldEverythingIsCommittedBeforeItIsGivenBack() {
        run((orders, table, context) -> {
            assertThat(orders.onOneMethod(false).block(PATIENCE)).isEqualTo("done");
            assertThat(orders.aroundAnother(false).collectList().block(PATIENCE))
                    .containsExactly("a", "b");
            orders.byOperator(false).block(PATIENCE);
            orders.byCallback(false).blockLast(PATIENCE);
            orders.aroundANewOne(false).block(PATIENCE);
            assertThat(table.rows()).containsExactly("callback", "new", "one", "operator", "outer", "required");
            assertThat(table.journal)
                    .containsExactly(
                            "released, visible 1",
                            "released, visible 2",
                            "released, visible 3",
                            "released, visible 4",
                            "released, visible 6");
        });
    }

    @Test
    void aLeaseLostDuringTheBodyLeavesNothingCommitted() {
        run((orders, table, context) -> {
            assertLost(orders.onOneMethod(true).flux());
            assertLost(orders.aroundAnother(true));
            assertLost(orders.byOperator(true).flux());
            assertLost(orders.byCallback(true));
            assertThat(table.rows()).isEmpty();
        });
    }

    @Test
    void aNewTransactionInsideIsJudgedAtItsOwnCommit() {
        run((orders, table, context) -> {
            assertLost(orders.aroundANewOne(true).flux());
            assertThat(table.rows()).containsExactly("new");
        });
    }

    @Test
    void aLockTakenInsideATransactionIsGivenBackAfterTheCommit() {
        run((orders, table, context) -> {
            context.getBean(Service.class).in(orders.inside("a")).block(PATIENCE);
            assertThat(table.journal).containsExactly("released, visible 1");
        });
    }

    @Test
    void aLockTakenInsideATransactionGuardsItsCommitToo() {
        run((orders, table, context) -> {
            assertLost(context.getBean(Service.class)
                    .in(orders.inside("a").then(table.loseIf(true)))
                    .flux());
            assertThat(table.rows()).isEmpty();
        });
    }

    @Test
    void aLockTakenInsideATransactionBegunUnderAnotherGuardsItsCommitToo() {
        run((orders, table, context) -> {
            Mono<Void> work = orders.inside("inner").then(table.loseIf(true));
            assertLost(orders.underAnother(work).flux());
            assertThat(table.rows()).isEmpty();
        });
    }

    @Test
    void aSecondSubscriptionInTheTransactionRunsUnderTheLockOfTheFirst() {
        run((orders, table, context) -> {
            context.getBean(Service.class)
                    .in(orders.inside("a").then(orders.inside("b")))
                    .block(PATIENCE);
            assertThat(table.rows()).containsExactly("a", "b");
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(1);
            assertThat(context.getBean(FaultyLockProvider.class).releases()).isEqualTo(1);
        });
    }

    @Test
    void withThePropertyOffTheLockIsGivenBackAtTheEndOfTheSubscription() {
        run(
                runner.withPropertyValues("distributed-lock.transactions.hold-until-completion=false"),
                (orders, table, context) -> {
                    context.getBean(Service.class).in(orders.inside("a")).block(PATIENCE);
                    assertThat(table.journal).containsExactly("released, visible 0");
                });
    }

    @Test
    void aStoreThatIsAskedAndConfirmsLetsTheCommitPass() {
        run(
                runner.withPropertyValues("distributed-lock.transactions.ask-store-before-commit=true"),
                (orders, table, context) -> {
                    orders.onOneMethod(false).block(PATIENCE);
                    assertThat(table.rows()).containsExactly("one");
                });
    }
}
