package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.leader.LeaderElection;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.leader.LeaderElections;
import io.distlock.spring.leader.LeaderOnly;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.annotation.Transactional;

/** What a leader commits, depending on what has become of its term by then: on a real database. */
class LeaderOnlyTransactionTests {

    private static final String ROLE = "report";

    private final ApplicationContextRunner runner = Database.runner()
            .withBean(Reports.class)
            .withBean(Book.class)
            .withPropertyValues(
                    "distributed-lock.leader.roles.report.auto-start=false",
                    "distributed-lock.leader.roles.report.lease-time=10s");

    static class Reports {

        private final Database database;
        private final Book book;

        Reports(Database database, Book book) {
            this.database = database;
            this.book = book;
        }

        @Transactional
        @LeaderOnly(ROLE)
        public void onOneMethod(Runnable meanwhile) {
            database.insert("one");
            meanwhile.run();
        }

        @LeaderOnly(ROLE)
        public void aroundAnother(Runnable meanwhile) {
            book.write(meanwhile);
        }

        @LeaderOnly(ROLE)
        public void before(Runnable meanwhile) {
            book.write(() -> {});
            meanwhile.run();
            book.write(() -> {});
        }
    }

    static class Book {

        private final Database database;

        Book(Database database) {
            this.database = database;
        }

        @Transactional
        public void write(Runnable meanwhile) {
            database.insert("another");
            meanwhile.run();
        }
    }

    private interface Work {

        void with(Reports reports, Database database, ApplicationContext context);
    }

    private void onTheLeader(ApplicationContextRunner runner, Work work) {
        runner.run(context -> {
            LeaderElection election = election(context);
            election.stand();
            await().until(election::isLeader);
            work.with(context.getBean(Reports.class), context.getBean(Database.class), context);
        });
    }

    private static LeaderElection election(ApplicationContext context) {
        return context.getBean(LeaderElections.class).get(ROLE);
    }

    private static void loseContact(ApplicationContext context) {
        context.getBean(FaultyLockProvider.class).onRenew(Fault.ERROR);
        context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
    }

    private static void robbed(ApplicationContext context) {
        LeaderElection election = election(context);
        LockClient operator = LockTestContext.another(context);
        operator.forceRelease(election.key(), election.term().orElseThrow().token());
        // It hears of that at its next renewal, at a third of the lease.
        context.getBean(ManualTicker.class).advance(Duration.ofSeconds(4));
    }

    private static boolean isFree(ApplicationContext context) {
        return LockTestContext.another(context).inspect(election(context).key()).isEmpty();
    }

    @Test
    void whileItLeadsEverythingIsCommitted() {
        onTheLeader(runner, (reports, database, context) -> {
            reports.onOneMethod(() -> {});
            reports.aroundAnother(() -> {});
            assertThat(database.rows()).containsExactly("another", "one");
        });
    }

    @Test
    void aTermThatHasExpiredByTheCommitLeavesNothing() {
        onTheLeader(runner, (reports, database, context) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> reports.onOneMethod(() -> loseContact(context)))
                    .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.EXPIRED));
            assertThat(database.rows()).isEmpty();
        });
        onTheLeader(runner, (reports, database, context) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> reports.aroundAnother(() -> loseContact(context)));
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void aTermThatWasTakenAwayByTheCommitLeavesNothing() {
        onTheLeader(runner, (reports, database, context) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> reports.aroundAnother(() -> robbed(context)))
                    .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNER));
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void whatWasCommittedInTheTermStaysAndNothingIsBegunAfterIt() {
        onTheLeader(runner, (reports, database, context) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> reports.before(() -> loseContact(context)));
            assertThat(database.rows()).containsExactly("another");
        });
    }

    @Test
    void whoeverResignsCommitsFirstAndGivesTheLockBackThen() {
        onTheLeader(runner, (reports, database, context) -> {
            reports.onOneMethod(() -> {
                election(context).resign();
                assertThat(election(context).isLeader()).isFalse();
                assertThat(isFree(context)).isFalse();
            });
            assertThat(database.rows()).containsExactly("one");
            await().until(() -> isFree(context));
            assertThat(database.journal()).contains("released leader:report, visible 1");
        });
    }

    @Test
    void whatTakesLongerThanTheRevokeTimeoutIsNotCommitted() {
        ApplicationContextRunner impatient =
                runner.withPropertyValues("distributed-lock.leader.roles.report.revoke-timeout=1ms");
        onTheLeader(impatient, (reports, database, context) -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> reports.onOneMethod(() -> {
                        election(context).resign();
                        await().until(() -> {
                            context.getBean(ManualTicker.class).advance(Duration.ofMillis(1));
                            return isFree(context);
                        });
                    }))
                    .withMessageContaining("has been released");
            assertThat(database.rows()).isEmpty();
        });
    }
}
