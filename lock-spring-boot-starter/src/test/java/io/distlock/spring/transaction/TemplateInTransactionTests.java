package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockLostException;
import io.distlock.spring.template.LockSpec;
import io.distlock.spring.template.LockTemplate;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks by code, and transactions around them and inside them. */
class TemplateInTransactionTests {

    private interface Work {

        void with(LockSpec brief, TransactionTemplate transactions, Database database, Runnable lose);
    }

    private static void run(Work work) {
        Database.runner()
                .run(context -> work.with(
                        context.getBean(LockTemplate.class)
                                .lock("stock", "a")
                                .leaseTime(Duration.ofSeconds(10))
                                .options(options -> options.withRenew(false)),
                        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)),
                        context.getBean(Database.class),
                        () -> context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11))));
    }

    @Test
    void aLockThatIsTakenInsideATransactionIsGivenBackAfterTheCommit() {
        run((brief, transactions, database, lose) -> {
            transactions.executeWithoutResult(status -> {
                brief.run(() -> database.insert("a"));
                brief.run(() -> database.insert("b"));
                database.note("end");
            });
            assertThat(database.journal()).containsExactly("acquired stock:a", "end", "released stock:a, visible 2");
        });
    }

    @Test
    void aLockThatWasTakenInsideATransactionAndIsLostLeavesNothingCommitted() {
        run((brief, transactions, database, lose) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> transactions.executeWithoutResult(status -> {
                        brief.run(() -> database.insert("a"));
                        lose.run();
                    }));
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void aTransactionInsideThatHasLostItsLockLeavesNothingCommitted() {
        run((brief, transactions, database, lose) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> brief.run(() -> transactions.executeWithoutResult(status -> {
                        database.insert("a");
                        lose.run();
                    })));
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void aNewTransactionInsideOneThatKeepsALostLockLeavesNothingCommitted() {
        run((brief, transactions, database, lose) -> {
            TransactionTemplate anew = new TransactionTemplate(
                    Objects.requireNonNull(transactions.getTransactionManager()),
                    new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
            transactions.executeWithoutResult(status -> {
                brief.run(() -> {});
                anew.executeWithoutResult(inner -> database.insert("while held"));
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> anew.executeWithoutResult(inner -> {
                            database.insert("stale");
                            lose.run();
                        }));
                status.setRollbackOnly();
            });
            assertThat(database.rows()).containsExactly("while held");
        });
    }
}
