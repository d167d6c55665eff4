package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.template.LockSpec;
import io.distlock.spring.template.LockTemplate;
import io.distlock.test.time.ManualTicker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What a transaction under a lock leaves on its thread and at the store, however it ends: nothing. */
class TransactionTraceTests {

    private final List<String> shown = new CopyOnWriteArrayList<>();
    private final ApplicationContextRunner runner = Database.runner()
            .withBean(
                    TransactionFence.class,
                    () -> (provider, sequencer) -> shown.add(sequencer.key().text()));

    private void run(ContextConsumer<AssertableApplicationContext> work) {
        runner.run(context -> {
            work.accept(context);
            assertThat(TransactionSynchronizationManager.getResourceMap())
                    .as("bound to the thread")
                    .isEmpty();
            assertThat(LockTestContext.another(context).inspect(LockKey.of("a")))
                    .isEmpty();
        });
    }

    private static LockSpec lock(AssertableApplicationContext context, String name) {
        return context.getBean(LockTemplate.class)
                .lock(name)
                .options(usual -> usual.withRenew(false).withLeaseTime(Duration.ofSeconds(10)));
    }

    private static TransactionTemplate transaction(AssertableApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static void lose(AssertableApplicationContext context) {
        context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
    }

    @Test
    void aCommitLeavesNothingOnTheThread() {
        run(context -> lock(context, "a").run(() -> transaction(context).executeWithoutResult(status -> {})));
    }

    @Test
    void aRollbackLeavesNothingOnTheThread() {
        run(context -> lock(context, "a").run(() -> {
            transaction(context).executeWithoutResult(status -> status.setRollbackOnly());
            assertThatIllegalStateException()
                    .isThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                        throw new IllegalStateException("of the body");
                    }));
        }));
    }

    /** A listener does not learn of its end, so what is left of it goes with the next transaction. */
    @Test
    void aRefusedCommitLeavesNothingAfterTheNextTransaction() {
        run(context -> {
            for (int round = 0; round < 3; round++) {
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> lock(context, "a")
                                .run(() -> transaction(context).executeWithoutResult(status -> lose(context))));
            }
            lock(context, "a").run(() -> transaction(context).executeWithoutResult(status -> {}));
        });
    }

    @Test
    void aTransactionThatCannotBeginIsShownToNobodyAndLeavesNothing() {
        JdbcTransactionManager broken = new JdbcTransactionManager(new AbstractDataSource() {

            @Override
            public Connection getConnection() throws SQLException {
                throw new SQLException("no connection");
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                return getConnection();
            }
        });
        run(context -> {
            context.getAutowireCapableBeanFactory().initializeBean(broken, "broken");
            assertThat(broken.getTransactionExecutionListeners()).isNotEmpty();
            lock(context, "a")
                    .run(() -> assertThatExceptionOfType(CannotCreateTransactionException.class)
                            .isThrownBy(() -> new TransactionTemplate(broken).executeWithoutResult(status -> {}))
                            .withRootCauseInstanceOf(SQLException.class));
            assertThat(shown).isEmpty();
        });
    }

    /** There is nothing to wait for. */
    @Test
    void aLockTakenInAScopeWithoutATransactionIsGivenBackAtOnce() {
        run(context -> {
            TransactionTemplate scope = transaction(context);
            scope.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
            scope.executeWithoutResult(status -> {
                assertThat(TransactionSynchronizationManager.isSynchronizationActive())
                        .isTrue();
                lock(context, "a").run(() -> {});
                assertThat(LockTestContext.another(context).inspect(LockKey.of("a")))
                        .isEmpty();
            });
            assertThat(shown).isEmpty();
        });
    }

    @Test
    void aLostLockIsNotShownToAResourceBeforeTheCommit() {
        run(context -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> lock(context, "a")
                            .run(() -> transaction(context).executeWithoutResult(status -> lose(context))));
            // As it began.
            assertThat(shown).containsExactly("a");
        });
    }
}
