package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.distlock.FencingToken;
import io.distlock.LockMode;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with a fence. A holder is overtaken by writing a larger token into its row. */
abstract class FencedTransactionFixture {

    private static final long LATER = 1_000_000;

    static ConfigurableApplicationContext context;
    static JdbcTemplate jdbc;
    static Outer outer;
    static Inner inner;
    static int runs;

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--distributed-lock.provider=in-memory",
                        "--distributed-lock.jdbc.fencing.enabled=true",
                        "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());
        jdbc = context.getBean(JdbcTemplate.class);
        jdbc.execute("create table work (id varchar(100))");
        outer = context.getBean(Outer.class);
        inner = context.getBean(Inner.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @BeforeEach
    void empty() {
        jdbc.update("delete from work");
        jdbc.update("delete from distributed_lock_fence");
        runs = 0;
    }

    @AfterEach
    void nothingIsLeftBehind() {
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(((HikariDataSource) context.getBean(DataSource.class))
                        .getHikariPoolMXBean()
                        .getActiveConnections())
                .isZero();
    }

    static TransactionTemplate transaction() {
        return new TransactionTemplate(context.getBean("transactionManager", PlatformTransactionManager.class));
    }

    static TransactionTemplate others() {
        return new TransactionTemplate(context.getBean("others", PlatformTransactionManager.class));
    }

    /** On a connection of its own, whatever transaction this thread is in. */
    static void overtake(String key) {
        try (Connection connection = context.getBean(DataSource.class).getConnection()) {
            new JdbcTemplate(new SingleConnectionDataSource(connection, true))
                    .update(
                            "merge into distributed_lock_fence values (?, ?, 'in-memory:lock', current_timestamp)",
                            key + "{lock}",
                            LATER);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    static void assertStale(Runnable work) {
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(work::run)
                .satisfies(stale -> assertThat(stale.getSuppressed()).isEmpty());
    }

    static long fence(String key) {
        Long token = jdbc.queryForObject(
                "select token from distributed_lock_fence where lock_key = ?", Long.class, key + "{lock}");
        return token == null ? 0 : token;
    }

    static long rows() {
        return count("distributed_lock_fence");
    }

    static long work() {
        return count("work");
    }

    private static long count(String table) {
        Long count = jdbc.queryForObject("select count(*) from " + table, Long.class);
        return count == null ? 0 : count;
    }

    static class Outer {

        @DistributedLock(name = "orders", key = "#id")
        public FencingToken locked(String id, Runnable body) {
            body.run();
            return LockContext.current().fencingToken();
        }

        @DistributedLock(name = "orders", key = "#id", mode = LockMode.SHARED)
        public void shared(String id, Runnable body) {
            body.run();
        }
    }

    static class Inner {

        private final JdbcTemplate jdbc;

        Inner(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        public void write(String id) {
            runs++;
            jdbc.update("insert into work values (?)", id);
        }

        @Transactional
        public void write(String id, Runnable then) {
            write(id);
            then.run();
        }

        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public void outsideOfTransactions(Runnable body) {
            body.run();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void writeInANewOne(String id) {
            runs++;
            jdbc.update("insert into work values (?)", id);
        }

        @Transactional(readOnly = true)
        public void read() {
            runs++;
        }

        @Transactional(readOnly = true)
        public void read(Runnable then) {
            then.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Outer outer() {
            return new Outer();
        }

        @Bean
        Inner inner(JdbcTemplate jdbc) {
            return new Inner(jdbc);
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean(defaultCandidate = false)
        JdbcTransactionManager others() {
            HikariDataSource other = new HikariDataSource();
            other.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
            return new JdbcTransactionManager(other);
        }
    }
}
