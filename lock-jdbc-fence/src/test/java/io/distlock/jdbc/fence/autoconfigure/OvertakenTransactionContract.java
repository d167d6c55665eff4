package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spring.template.LockTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of a holder whose lock is gone, on each database. */
abstract class OvertakenTransactionContract extends OvertakenFixture {

    private ConfigurableApplicationContext context;
    LockTemplate locks;
    JdbcTemplate jdbc;

    /** A statement that lets a connection wait for a row for five seconds. */
    abstract String lockTimeout();

    @BeforeAll
    void startApplication() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--distributed-lock.provider=in-memory",
                        "--distributed-lock.jdbc.fencing.enabled=true",
                        "--spring.datasource.url=" + database.url(),
                        "--spring.datasource.username=" + database.user(),
                        "--spring.datasource.password=",
                        // No test waits for as long on the application's connections, unless it waits for itself.
                        "--spring.datasource.hikari.connection-init-sql=" + lockTimeout());
        locks = context.getBean(LockTemplate.class);
        jdbc = context.getBean(JdbcTemplate.class);
    }

    @AfterAll
    void stopApplication() {
        context.close();
    }

    @Test
    void aTransactionBegunByHandUnderAStaleLockDoesNotRun() {
        AtomicBoolean ran = new AtomicBoolean();
        locks.lock("stock").run(() -> {
            sellNext();
            assertStale(() -> transaction().executeWithoutResult(status -> ran.set(true)));
        });
        assertThat(ran).isFalse();
        assertThat(pieces()).isEqualTo(PIECES - 1);
    }

    /** If it went on, its row would be locked until its end, and a statement that commits by itself would keep its writes. */
    @Test
    void aRefusedTransactionKeepsTheNextHolderOutForNoLongerThanItsRefusal() {
        locks.lock("stock").run(() -> {
            sellNext();
            assertStale(() -> transaction().executeWithoutResult(status -> {
                jdbc.update("update stock set pieces = 0");
                sellNext();
                anew().executeWithoutResult(inner -> {});
            }));
            sellNext();
        });
        assertThat(pieces()).isEqualTo(PIECES - 2);
    }

    @Test
    void aRefusedTransactionInsideAnotherLeavesThatOneUsable() {
        transaction().executeWithoutResult(status -> {
            jdbc.update("insert into staging values (1)");
            propagation(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                    .executeWithoutResult(none -> locks.lock("stock").run(() -> {
                        sellNext();
                        assertStale(() -> anew().executeWithoutResult(inner -> {}));
                    }));
            jdbc.update("update stock set pieces = pieces - 10");
        });
        assertThat(pieces()).isEqualTo(PIECES - 11);
    }

    /** It would wait for itself on the databases that leave its row locked. */
    @Test
    void aLockThatIsRefusedInsideATransactionIsRefusedForANewOneInsideWithoutAWait() {
        sellNext();
        assertStale(() -> transaction().executeWithoutResult(status -> {
            assertStale(() -> locks.lock("stock").run(() -> {}));
            assertStale(() -> anew().executeWithoutResult(inner -> {}));
        }));
        sellNext();
        assertThat(pieces()).isEqualTo(PIECES - 2);
    }

    @Test
    void aNewTransactionInsideOneThatHasLostItsRowIsRefused() {
        locks.lock("stock")
                .run(() -> transaction().executeWithoutResult(status -> {
                    onConnection(Connection::commit);
                    sellNext();
                    assertStale(() -> anew().executeWithoutResult(inner -> jdbc.update("update stock set pieces = 0")));
                    status.setRollbackOnly();
                }));
        assertThat(pieces()).isEqualTo(PIECES - 1);
    }

    final TransactionTemplate transaction() {
        return propagation(TransactionDefinition.PROPAGATION_REQUIRED);
    }

    final TransactionTemplate anew() {
        return propagation(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    private TransactionTemplate propagation(int behavior) {
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        transaction.setPropagationBehavior(behavior);
        return transaction;
    }

    final void onConnection(Step step) {
        try {
            step.on(DataSourceUtils.getConnection(Objects.requireNonNull(jdbc.getDataSource())));
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    static void assertStale(Runnable work) {
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(work::run)
                .satisfies(stale -> assertThat(stale.getSuppressed()).isEmpty());
    }

    interface Step {
        void on(Connection connection) throws SQLException;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }
}
