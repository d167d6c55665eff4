package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Lock and transaction on one method, on a real database: the lock is free only when others can see the work. */
class TransactionOrderTests {

    private final ApplicationContextRunner runner = LockTestContext.manual()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    TransactionAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true")
            .withBean(Journal.class)
            .withBean(Stock.class);

    /** What happened, in order; with what another connection can see at that moment. */
    static class Journal implements LockListener {

        private final List<String> entries = new CopyOnWriteArrayList<>();
        private Consumer<String> atRelease = entry -> {};

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Acquired) {
                entries.add("acquired");
            } else if (event instanceof LockEvent.Released) {
                atRelease.accept("released");
                entries.add("released");
            }
        }
    }

    static class Stock {

        private final JdbcTemplate jdbc;
        private final Journal journal;

        Stock(JdbcTemplate jdbc, Journal journal) {
            this.jdbc = jdbc;
            this.journal = journal;
        }

        @Transactional
        @DistributedLock("stock")
        public void transactionFirst(boolean fail) {
            work(fail);
        }

        @DistributedLock("stock")
        @Transactional
        public void lockFirst(boolean fail) {
            work(fail);
        }

        private void work(boolean fail) {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            journal.entries.add("body");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    journal.entries.add(status == STATUS_COMMITTED ? "committed" : "rolled back");
                }
            });
            jdbc.update("insert into stock(item) values ('a')");
            if (fail) {
                throw new IllegalStateException("of the body");
            }
        }
    }

    private static int rows(JdbcTemplate jdbc) {
        return jdbc.queryForList("select item from stock").size();
    }

    @Test
    void theLockIsGivenBackOnlyAfterTheCommitWhateverTheOrderInTheSource() {
        for (Consumer<Stock> method :
                List.<Consumer<Stock>>of(s -> s.transactionFirst(false), s -> s.lockFirst(false))) {
            runner.run(context -> {
                JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                jdbc.execute("create table stock(item varchar(10))");
                Journal journal = context.getBean(Journal.class);
                journal.atRelease = entry -> journal.entries.add("visible: " + rows(jdbc));
                method.accept(context.getBean(Stock.class));
                assertThat(journal.entries).containsExactly("acquired", "body", "committed", "visible: 1", "released");
            });
        }
    }

    @Test
    void theLockIsGivenBackOnlyAfterTheRollback() {
        runner.run(context -> {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            jdbc.execute("create table stock(item varchar(10))");
            Journal journal = context.getBean(Journal.class);
            assertThatIllegalStateException()
                    .isThrownBy(() -> context.getBean(Stock.class).transactionFirst(true))
                    .withMessage("of the body");
            assertThat(journal.entries).containsExactly("acquired", "body", "rolled back", "released");
            assertThat(rows(jdbc)).isZero();
        });
    }

    @Test
    void aLockInsideTheTransactionIsFoundAtStartUp() {
        runner.withPropertyValues("distributed-lock.advisor-order=" + Ordered.LOWEST_PRECEDENCE)
                .withUserConfiguration(EarlyTransactions.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidLockedMethodsException.class)
                        .hasMessageContaining("inside the transaction")
                        .hasMessageContaining("distributed-lock.advisor-order"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class EarlyTransactions {}
}
