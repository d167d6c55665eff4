package io.distlock.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.distlock.FencingToken;
import io.distlock.LockMode;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.template.LockTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions under annotated locks, with a fence. A holder is overtaken by writing a larger token into its row. */
class FencedTransactionTests {

    private static final long LATER = 1_000_000;

    private static ConfigurableApplicationContext context;
    private static JdbcTemplate jdbc;
    private static Outer outer;
    private static Inner inner;
    private static int runs;

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

    @Test
    void aTransactionBegunUnderALockAdvancesTheFence() {
        FencingToken token = outer.locked("1", () -> inner.write("a"));
        assertThat(fence("orders:1")).isEqualTo(token.value());
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aStaleHoldersMethodIsNotRun() {
        assertStale(() -> outer.locked("1", () -> {
            overtake("orders:1");
            inner.write("a");
        }));
        assertThat(runs).isZero();
        assertThat(work()).isZero();
    }

    @Test
    void whatAStaleHolderDoesInATransactionTemplateIsRolledBack() {
        assertStale(() -> outer.locked("1", () -> {
            overtake("orders:1");
            transaction().executeWithoutResult(status -> jdbc.update("insert into work values ('a')"));
        }));
        assertThat(work()).isZero();
    }

    @Test
    void aLockTakenInATransactionAdvancesTheFenceBeforeItsBody() {
        transaction().executeWithoutResult(status -> {
            FencingToken token = outer.locked("1", () -> assertThat(rows()).isEqualTo(1));
            assertThat(fence("orders:1")).isEqualTo(token.value());
        });
    }

    @Test
    void aStaleLockTakenInATransactionDoesNotRunItsBody() {
        overtake("orders:1");
        transaction().executeWithoutResult(status -> {
            jdbc.update("insert into work values ('a')");
            assertStale(() -> outer.locked("1", () -> inner.write("b")));
            status.setRollbackOnly();
        });
        assertThat(runs).isZero();
    }

    @Test
    void aTransactionThatHasIgnoredTheRefusalDoesNotCommit() {
        overtake("orders:1");
        assertStale(() -> transaction().executeWithoutResult(status -> {
            jdbc.update("insert into work values ('a')");
            assertStale(() -> outer.locked("1", () -> {}));
        }));
        assertThat(work()).isZero();
    }

    @Test
    void aRefusedInnerTransactionLeavesTheOuterOneUsable() {
        transaction().executeWithoutResult(status -> {
            jdbc.update("insert into work values ('a')");
            assertStale(() -> inner.outsideOfTransactions(() -> outer.locked("1", () -> {
                overtake("orders:1");
                inner.write("b");
            })));
            jdbc.update("insert into work values ('c')");
        });
        assertThat(runs).isZero();
        assertThat(work()).isEqualTo(2);
    }

    @Test
    void aNewTransactionInsideOneThatIsFencedDoesNotWaitForItself() {
        outer.locked("1", () -> inner.write("a", () -> inner.writeInANewOne("b")));
        transaction().executeWithoutResult(status -> outer.locked("1", () -> inner.writeInANewOne("c")));
        assertThat(work()).isEqualTo(3);
    }

    @Test
    void onceTheOuterTransactionHasEndedTheNextOneIsFencedAgain() {
        assertStale(() -> outer.locked("1", () -> {
            inner.write("a", () -> inner.writeInANewOne("b"));
            overtake("orders:1");
            inner.writeInANewOne("c");
        }));
        assertThat(work()).isEqualTo(2);
    }

    @Test
    void aRollbackToASavepointDoesNotLoseTheFence() {
        transaction().executeWithoutResult(status -> {
            Object savepoint = status.createSavepoint();
            outer.locked("1", () -> {});
            status.rollbackToSavepoint(savepoint);
            assertThat(rows()).isZero();
            jdbc.update("insert into work values ('a')");
        });
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void aReadOnlyTransactionAroundItDoesNotExemptANewOne() {
        outer.locked("1", () -> inner.read(() -> inner.writeInANewOne("a")));
        assertThat(rows()).isEqualTo(1);
        assertStale(() -> outer.locked(
                "1",
                () -> inner.read(() -> {
                    overtake("orders:1");
                    inner.writeInANewOne("b");
                })));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aNewTransactionAfterARollbackToASavepointDoesNotWaitForItself() {
        outer.locked(
                "1",
                () -> transaction().executeWithoutResult(status -> {
                    Object savepoint = status.createSavepoint();
                    status.rollbackToSavepoint(savepoint);
                    inner.writeInANewOne("a");
                }));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aNewTransactionAfterTheCommitIsFenced() {
        assertStale(() -> outer.locked("1", () -> {
            RuntimeException[] refusal = new RuntimeException[1];
            transaction()
                    .executeWithoutResult(status ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void afterCommit() {
                                    overtake("orders:1");
                                    try {
                                        inner.writeInANewOne("a");
                                    } catch (RuntimeException stale) {
                                        refusal[0] = stale;
                                    }
                                }
                            }));
            if (refusal[0] != null) {
                throw refusal[0];
            }
        }));
        assertThat(work()).isZero();
    }

    @Test
    void aTransactionThatTimesOutAtTheFenceIsNotCommitted() {
        overtake("orders:1");
        TransactionTemplate limited = transaction();
        limited.setTimeout(1);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> limited.executeWithoutResult(status -> {
                    jdbc.update("insert into work values ('a')");
                    assertStale(() -> outer.locked("1", () -> {}));
                    await().pollDelay(Duration.ofMillis(1200)).until(() -> true);
                }))
                .withMessageContaining("could not be checked before its commit");
        assertThat(work()).isZero();
    }

    @Test
    void aReadOnlyTransactionIsOnlyChecked() {
        outer.locked("1", () -> inner.read());
        assertThat(rows()).isZero();
        assertStale(() -> outer.locked("1", () -> {
            overtake("orders:1");
            inner.read();
        }));
        assertThat(runs).isEqualTo(1);
    }

    @Test
    void sharedLocksAreOnlyChecked() {
        outer.shared("1", () -> inner.write("a"));
        assertThat(rows()).isZero();
        assertStale(() -> outer.shared("1", () -> {
            overtake("orders:1");
            inner.write("b");
        }));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void locksOfATemplateAreFenced() {
        LockTemplate locks = context.getBean(LockTemplate.class);
        assertStale(() -> locks.lock("orders", "1").run(() -> {
            overtake("orders:1");
            inner.write("a");
        }));
        assertThat(runs).isZero();
    }

    @Test
    void eachOfSeveralLocksAdvancesTheFence() {
        outer.locked("1", () -> outer.locked("2", () -> inner.write("a")));
        assertThat(fence("orders:1")).isPositive();
        assertThat(fence("orders:2")).isPositive();
    }

    @Test
    void transactionsOfAnotherDataSourceAreNotFenced() {
        overtake("orders:1");
        outer.locked(
                "1",
                () -> new TransactionTemplate(context.getBean("others", PlatformTransactionManager.class))
                        .executeWithoutResult(status -> assertThat(rows()).isEqualTo(1)));
    }

    @Test
    void insideATransactionOfAnotherDataSourceEachOneIsFenced() {
        assertStale(() -> outer.locked(
                "1",
                () -> others().executeWithoutResult(status -> {
                    inner.write("a");
                    overtake("orders:1");
                    inner.write("b");
                })));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aTransactionThatHasEndedInsideASuspendedOneOfAnotherDataSourceExemptsNobody() {
        TransactionTemplate anew = others();
        anew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        assertStale(() -> outer.locked(
                "1",
                () -> others().executeWithoutResult(status -> {
                    inner.write("a");
                    overtake("orders:1");
                    anew.executeWithoutResult(suspending -> inner.write("b"));
                })));
        assertThat(work()).isEqualTo(1);
    }

    @Test
    void aLockThatIsKeptByATransactionOfAnotherDataSourceFencesEachOneInside() {
        others().executeWithoutResult(status -> {
            FencingToken token = outer.locked("1", () -> inner.write("a"));
            assertThat(fence("orders:1")).isEqualTo(token.value());
            overtake("orders:1");
            assertStale(() -> inner.write("b"));
            assertStale(() -> outer.locked("1", () -> inner.write("c")));
            assertStale(() -> transaction().executeWithoutResult(inside -> outer.locked("1", () -> {})));
        });
        assertThat(work()).isEqualTo(1);
    }

    /** It would wait for the row that the suspended one has advanced. */
    @Test
    void aNewTransactionInsideOneThatKeepsALockIsNotHeldUpByIt() {
        transaction().executeWithoutResult(status -> {
            outer.locked("1", () -> inner.write("a"));
            inner.writeInANewOne("b");
        });
        assertThat(work()).isEqualTo(2);
    }

    private static TransactionTemplate others() {
        return new TransactionTemplate(context.getBean("others", PlatformTransactionManager.class));
    }

    @Test
    void aTransactionWithoutALockCostsNothing() {
        inner.write("a");
        assertThat(rows()).isZero();
    }

    @Test
    void aTransactionUnderALockCostsOneStatement() {
        jdbc.execute("set query_statistics true");
        try {
            outer.locked("1", () -> {
                inner.write("a");
                inner.write("b");
            });
            assertThat(jdbc.queryForObject(
                            "select sum(execution_count) from information_schema.query_statistics"
                                    + " where lower(sql_statement) like '%distributed_lock_fence%'",
                            Long.class))
                    .isEqualTo(2);
        } finally {
            jdbc.execute("set query_statistics false");
        }
    }

    /** On a connection of its own, whatever transaction this thread is in. */
    private static void overtake(String key) {
        try (Connection connection = context.getBean(DataSource.class).getConnection()) {
            new JdbcTemplate(new SingleConnectionDataSource(connection, true))
                    .update(
                            "merge into distributed_lock_fence values (?, ?, 'in-memory:lock', current_timestamp)",
                            key,
                            LATER);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static TransactionTemplate transaction() {
        return new TransactionTemplate(context.getBean("transactionManager", PlatformTransactionManager.class));
    }

    private static void assertStale(Runnable work) {
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(work::run)
                .satisfies(stale -> assertThat(stale.getSuppressed()).isEmpty());
    }

    private static long fence(String key) {
        Long token =
                jdbc.queryForObject("select token from distributed_lock_fence where lock_key = ?", Long.class, key);
        return token == null ? 0 : token;
    }

    private static long rows() {
        return count("distributed_lock_fence");
    }

    private static long work() {
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
