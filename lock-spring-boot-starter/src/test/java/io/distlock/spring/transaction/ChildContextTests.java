package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.LockLostException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import io.distlock.spring.template.LockTemplate;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualTicker;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.aspectj.weaver.Advice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.core.task.TaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** What looks at the beans of a context exists in each; clients and what they run on are the parent's. */
@DisabledIfSystemProperty(
        named = "distlock.test.aot",
        matches = "true",
        disabledReason = "conditions are evaluated without the parent, so that the child gets clients of its own")
class ChildContextTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<String> acquired = new CopyOnWriteArrayList<>();

    private final ApplicationContextRunner parent = LockTestContext.manual()
            .withBean(LockListener.class, () -> event -> {
                if (event instanceof LockEvent.Acquired) {
                    acquired.add(event.key().text());
                }
            })
            .withBean("region", String.class, () -> "of the parent")
            .withPropertyValues("shop.name=parents");

    private final ApplicationContextRunner child = LockTestContext.withoutProvider()
            .withBean("region", String.class, () -> "of the child")
            .withPropertyValues("shop.name=childs");

    private interface Check {

        void with(AssertableApplicationContext parent, AssertableApplicationContext child) throws Exception;
    }

    private void run(ApplicationContextRunner child, Check test) {
        parent.run(
                above -> child.withParent(above.getSourceApplicationContext()).run(below -> test.with(above, below)));
    }

    /** Public, since a test gives its proxy another class loader. */
    public static class Shop {

        @DistributedLock(name = "${shop.name}", key = "@region.replace(' ', '-')")
        public String sell() {
            return "sold";
        }
    }

    static class FinalShop {

        @DistributedLock("final")
        public final void sell() {}
    }

    @Test
    void aMethodThatCannotBeLockedStopsTheStartOfAChild() {
        run(
                child.withBean(FinalShop.class),
                (above, below) -> assertThat(below)
                        .getFailure()
                        .isInstanceOf(InvalidLockedMethodsException.class)
                        .hasMessageContaining("FinalShop.sell()"));
    }

    @Test
    void beansAndPropertiesInAnAnnotationAreThoseOfItsContext() {
        run(child.withBean(Shop.class), (above, below) -> {
            below.getBean(Shop.class).sell();
            assertThat(acquired).containsExactly("childs:of-the-child");
        });
    }

    /** Without AspectJ, beans are proxied by another creator, which does not know the parent's advisors. */
    @Test
    void soTheyAreWithoutAspectJ() {
        run(child.withBean(Shop.class).withClassLoader(new FilteredClassLoader(Advice.class)), (above, below) -> {
            below.getBean(Shop.class).sell();
            assertThat(acquired).containsExactly("childs:of-the-child");
        });
    }

    @Test
    void theClientsAndWhatTheyRunOnAreTheParents() {
        run(child.withBean(Shop.class), (above, below) -> {
            for (Class<?> shared : List.of(LockClients.class, LockRuntime.class, MeterNameLimiter.class)) {
                assertThat(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(below, shared))
                        .hasSize(1);
            }
            assertThat(below.getBean(Executions.class)).isNotSameAs(above.getBean(Executions.class));
            assertThat(below.getBean(LockTemplate.class)).isNotSameAs(above.getBean(LockTemplate.class));
        });
    }

    record User(LockTemplate template) {}

    @Test
    void aTemplateThatTheParentDefinesComesFirst() {
        parent.withBean(
                        "own",
                        LockTemplate.class,
                        () -> new LockTemplate(mock(LockClients.class), mock(Executions.class)))
                .run(above -> child.withParent(above.getSourceApplicationContext())
                        .withBean(User.class)
                        .run(below -> assertThat(below.getBean(User.class).template())
                                .isSameAs(above.getBean(LockTemplate.class))));
    }

    @Test
    void namesInAnnotationsOfAChildAreTags() {
        run(child.withBean(Shop.class), (above, below) -> {
            MeterNameLimiter names = above.getBean(MeterNameLimiter.class);
            for (int i = 0; i < 200; i++) {
                names.of("dynamic-" + i);
            }
            assertThat(names.of("childs")).isEqualTo("childs");
        });
    }

    static class Later {

        @DistributedLock("later")
        public CompletableFuture<String> work() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    @Test
    void bodiesRunOnTheExecutorOfTheirContext() {
        run(
                child.withBean(Later.class)
                        .withBean("own", TaskExecutor.class, () -> {
                            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
                            executor.setThreadNamePrefix("childs-");
                            executor.initialize();
                            return executor;
                        })
                        .withPropertyValues("distributed-lock.task-executor=own"),
                (above, below) -> assertThat(below.getBean(Later.class).work().get(30, TimeUnit.SECONDS))
                        .startsWith("childs-"));
    }

    @Test
    void anExecutorThatIsMissingStopsTheStartOfAChild() {
        run(
                child.withPropertyValues("distributed-lock.task-executor=none"),
                (above, below) ->
                        assertThat(below).getFailure().hasStackTraceContaining("give the name of an Executor bean"));
    }

    // --- a context without the auto-configuration ---

    @Configuration(proxyBeanMethods = false)
    static class Plain {

        @Bean
        Shop shop() {
            return new Shop();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAspectJAutoProxy
    static class PlainWithProxies extends Plain {}

    @Test
    void aChildWithLockedMethodsAndWithoutTheAutoConfigurationDoesNotStart() {
        for (Class<?> plain : List.of(Plain.class, PlainWithProxies.class)) {
            run(
                    new ApplicationContextRunner().withUserConfiguration(plain),
                    (above, below) -> assertThat(below)
                            .getFailure()
                            .isInstanceOf(InvalidLockedMethodsException.class)
                            .hasMessageContaining("Shop.sell(), context: ")
                            .hasMessageContaining("@EnableAutoConfiguration"));
        }
    }

    @Test
    void aParentWithLockedMethodsAndWithoutTheAutoConfigurationStopsTheStartOfItsChild() {
        new ApplicationContextRunner()
                .withUserConfiguration(Plain.class)
                .run(above -> LockTestContext.inMemory()
                        .withParent(above.getSourceApplicationContext())
                        .run(below -> assertThat(below)
                                .getFailure()
                                .isInstanceOf(InvalidLockedMethodsException.class)
                                .hasMessageContaining("Shop.sell(), context: ")));
    }

    @Test
    void aChildWithoutLockedMethodsNeedsNothing() {
        run(
                new ApplicationContextRunner().withBean(Object.class),
                (above, below) -> assertThat(below).hasNotFailed());
    }

    // --- transactions ---

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactions {

        @Bean
        DataSource dataSource() {
            var source = new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            new JdbcTemplate(source).execute("create table item(name varchar(20))");
            return source;
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    static class Orders {

        private final JdbcTemplate jdbc;
        private final TransactionTemplate transactions;
        private final ManualTicker ticker;

        Orders(DataSource dataSource, JdbcTransactionManager manager, ManualTicker ticker) {
            this.jdbc = new JdbcTemplate(dataSource);
            this.transactions = new TransactionTemplate(manager);
            this.ticker = ticker;
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void byTemplate() {
            transactions.executeWithoutResult(status -> write());
        }

        @Transactional
        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void byAnnotation() {
            write();
        }

        private void write() {
            jdbc.update("insert into item values ('one')");
            ticker.advance(Duration.ofSeconds(11));
        }
    }

    @Test
    void aTransactionOfAChildsManagerDoesNotCommitUnderALostLock() {
        run(child.withUserConfiguration(Transactions.class).withBean(Orders.class), (above, below) -> {
            Orders orders = below.getBean(Orders.class);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(orders::byTemplate);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(orders::byAnnotation);
            assertThat(new JdbcTemplate(below.getBean(DataSource.class)).queryForList("select name from item"))
                    .isEmpty();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class ReactiveTransactions {

        @Bean
        ConnectionFactory connectionFactory() {
            ConnectionFactory factory =
                    ConnectionFactories.get("r2dbc:h2:mem:///" + UUID.randomUUID() + "?options=DB_CLOSE_DELAY=-1");
            DatabaseClient.create(factory)
                    .sql("create table item(name varchar(20))")
                    .then()
                    .block(PATIENCE);
            return factory;
        }

        @Bean
        TransactionalOperator operator(ConnectionFactory connectionFactory) {
            return TransactionalOperator.create(new R2dbcTransactionManager(connectionFactory));
        }
    }

    static class ReactiveOrders {

        private final DatabaseClient client;
        private final TransactionalOperator operator;
        private final ManualTicker ticker;

        ReactiveOrders(ConnectionFactory connections, TransactionalOperator operator, ManualTicker ticker) {
            this.client = DatabaseClient.create(connections);
            this.operator = operator;
            this.ticker = ticker;
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public Mono<Void> order() {
            return operator.transactional(client.sql("insert into item values ('one')")
                    .then()
                    .doOnSuccess(done -> ticker.advance(Duration.ofSeconds(11))));
        }
    }

    @Test
    void aReactiveTransactionOfAChildDoesNotCommitUnderALostLock() {
        run(child.withUserConfiguration(ReactiveTransactions.class).withBean(ReactiveOrders.class), (above, below) -> {
            ReactiveOrders orders = below.getBean(ReactiveOrders.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> orders.order().block(PATIENCE));
            assertThat(DatabaseClient.create(below.getBean(ConnectionFactory.class))
                            .sql("select name from item")
                            .fetch()
                            .all()
                            .collectList()
                            .block(PATIENCE))
                    .isEmpty();
        });
    }
}
