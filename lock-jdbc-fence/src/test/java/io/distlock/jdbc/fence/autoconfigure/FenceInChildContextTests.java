package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.LockClient;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.jdbc.fence.JdbcFence;
import io.distlock.jdbc.fence.R2dbcFence;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.template.LockTemplate;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** A child context shares the fence of its parent's data, and fences its own. */
class FenceInChildContextTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String JDBC = "--distributed-lock.jdbc.fencing.enabled=true";
    private static final String R2DBC = "--distributed-lock.r2dbc.fencing.enabled=true";

    private interface Check {
        void with(ConfigurableApplicationContext child);
    }

    private static void run(Class<?> parent, Class<?> child, String property, Check check) {
        SpringApplicationBuilder above = new SpringApplicationBuilder(parent).web(WebApplicationType.NONE);
        try (ConfigurableApplicationContext below =
                above.child(child).web(WebApplicationType.NONE).run(arguments(property))) {
            check.with(below);
            ((ConfigurableApplicationContext) Objects.requireNonNull(below.getParent())).close();
        }
    }

    private static String[] arguments(String property) {
        return new String[] {
            property,
            "--distributed-lock.provider=in-memory",
            "--distributed-lock.jdbc.initialize-schema=always",
            "--distributed-lock.r2dbc.initialize-schema=always"
        };
    }

    private static long count(ConfigurableApplicationContext child, Class<?> type) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(child, type).length;
    }

    private static void assertFenced(ConfigurableApplicationContext child, String manager) {
        JdbcTemplate jdbc = new JdbcTemplate(child.getBean(DataSource.class));
        var transaction = new TransactionTemplate(child.getBean(manager, PlatformTransactionManager.class));
        Jobs jobs = child.getBean(Jobs.class);
        jobs.run(() -> transaction.executeWithoutResult(status -> {}));
        assertThat(jdbc.update("update distributed_lock_fence set token = 1000000 where lock_key = 'jobs{lock}'"))
                .isEqualTo(1);
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> jobs.run(() -> transaction.executeWithoutResult(status -> {})));
        // Taken inside of the transaction.
        LockTemplate template = child.getBean(LockTemplate.class);
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(
                        status -> template.lock("jobs").run(() -> {
                            throw new AssertionError("stale");
                        })));
    }

    @Test
    void theParentsFenceGuardsManagersOfBoth() {
        run(Parent.class, Sharing.class, JDBC, child -> {
            assertThat(count(child, JdbcFence.class)).isEqualTo(1);
            assertThat(count(child, FenceCleanupSchedule.class)).isEqualTo(1);
            assertFenced(child, "parents");
            new JdbcTemplate(child.getBean(DataSource.class)).update("delete from distributed_lock_fence");
            assertFenced(child, "childs");
        });
    }

    @Test
    void aDataSourceOfTheChildHasAFenceOfItsOwn() {
        run(Parent.class, OwnData.class, JDBC, child -> {
            assertThat(child.getBean(JdbcFence.class))
                    .isNotSameAs(child.getParent().getBean(JdbcFence.class));
            assertThat(child.getBean(LockClient.class))
                    .isSameAs(child.getParent().getBean(LockClient.class));
            assertFenced(child, "childs");
        });
    }

    @Test
    void aDataSourceOfTheChildThatIsAmbiguousStopsItsStart() {
        assertThatThrownBy(() -> run(Parent.class, SecondData.class, JDBC, child -> {}))
                .hasStackTraceContaining("there is no single DataSource to fence, but: second");
    }

    @Test
    void aConnectionFactoryOfTheChildHasAFenceOfItsOwn() {
        run(ReactiveParent.class, ReactiveParent.class, R2DBC, child -> {
            assertThat(child.getBean(R2dbcFence.class))
                    .isNotSameAs(child.getParent().getBean(R2dbcFence.class));
            assertReactiveFenced(child);
        });
    }

    @Test
    void theParentsReactiveFenceGuardsTheChildsTransactions() {
        run(ReactiveParent.class, ReactiveSharing.class, R2DBC, child -> {
            assertThat(count(child, R2dbcFence.class)).isEqualTo(1);
            assertThat(count(child, FenceCleanupSchedule.class)).isEqualTo(1);
            assertReactiveFenced(child);
        });
    }

    private static void assertReactiveFenced(ConfigurableApplicationContext child) {
        DatabaseClient client = DatabaseClient.create(child.getBean(ConnectionFactory.class));
        TransactionalOperator operator = child.getBean(TransactionalOperator.class);
        Jobs jobs = child.getBean(Jobs.class);
        Mono<Void> work = jobs.later(operator.transactional(Mono.empty()));
        work.block(PATIENCE);
        client.sql("update distributed_lock_fence set token = 1000000 where lock_key = 'jobs{lock}'")
                .then()
                .block(PATIENCE);
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> work.block(PATIENCE));
    }

    private static DataSource database() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    static class Jobs {

        @DistributedLock("jobs")
        public void run(Runnable work) {
            work.run();
        }

        @DistributedLock("jobs")
        public Mono<Void> later(Mono<Void> work) {
            return work;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Parent {

        @Bean
        DataSource dataSource() {
            return database();
        }

        @Bean
        JdbcTransactionManager parents(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Sharing {

        @Bean
        JdbcTransactionManager childs(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class OwnData extends Sharing {

        @Bean
        DataSource dataSource() {
            return database();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class SecondData {

        @Bean
        DataSource second() {
            return database();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ReactiveSharing {

        @Bean
        TransactionalOperator operator(ConnectionFactory connectionFactory) {
            return TransactionalOperator.create(new R2dbcTransactionManager(connectionFactory));
        }

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ReactiveParent extends ReactiveSharing {

        @Bean
        ConnectionFactory connectionFactory() {
            return ConnectionFactories.get("r2dbc:h2:mem:///" + UUID.randomUUID() + "?options=DB_CLOSE_DELAY=-1");
        }

        @Bean
        R2dbcTransactionManager manager(ConnectionFactory connectionFactory) {
            return new R2dbcTransactionManager(connectionFactory);
        }
    }
}
